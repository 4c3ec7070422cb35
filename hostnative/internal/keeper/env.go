package keeper

import "sync/atomic"

// Env is set in the environment of a keeper, and there only. Its standard input is
// the socket that its host has the other end of.
const Env = "TERRARIUM_HELPER"

// What Env is set to. A keeper that is to be confined executes itself again as one
// that is.
const (
	asKeeper   = "keeper"
	asConfined = "confined"
)

// HasMain says that this program's main function begins with helper.Main, so
// that executing this program again makes a keeper.
var HasMain atomic.Bool
