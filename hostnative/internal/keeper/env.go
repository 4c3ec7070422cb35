package keeper

import (
	"os"
	"sync/atomic"
)

// Env is set in the environment of a keeper, and there only. Its standard input is
// the socket that its host has the other end of.
const Env = "TERRARIUM_HELPER"

// What Env is set to. A keeper that is to be confined executes itself again as one
// that is, and one whose commands are to begin with fewer open files as one that is limited.
const (
	asKeeper   = "keeper"
	asConfined = "confined"
	asLimited  = "limited"
)

// Asked reports whether this process was started to be a keeper: Env alone may be
// inherited, or come from an agent.
func Asked() bool {
	_, ok := os.LookupEnv(Env)
	return ok && hasSocket()
}

// HasMain says that this program's main function begins with helper.Main, so
// that executing this program again makes a keeper.
var HasMain atomic.Bool
