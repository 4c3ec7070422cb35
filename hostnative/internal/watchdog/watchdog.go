// Package watchdog is what a host and its helper process have agreed on.
package watchdog

import "sync/atomic"

// Env is set in the environment of a helper, and there only: to the HostID of
// the host whose death it waits for. The helper's standard input is a pipe
// that only the host has the other end of. It writes Ready to its standard
// output when it waits.
const Env = "TERRARIUM_HELPER"

// Ready is what a helper says.
const Ready = "watching\n"

// HasMain says that this program's main function begins with helper.Main, so
// that executing this program again makes a helper.
var HasMain atomic.Bool
