// Package page is the engine.Engine of a web page: the browser runs the guests,
// and the glue in web/src/guests.ts makes their calls into Go. It is there where
// GOOS is js; elsewhere there are only the names that compiled modules are known
// by.
//
// Go and all guests share one thread. A guest's call comes into Go as a call of
// an export, page_call, which may not block: it makes the Func's Try, and where
// that says [engine.ErrWait], the guest is suspended, by the browser's JavaScript
// Promise Integration, until the goroutine that is in Program.Run has made the
// Func's Call. So Funcs without a Try, RunConfig.Refill and RunConfig.Grow must
// not wait for anything either: not for a channel, and not for a lock that is
// held by who waits.
//
// Such an export must come back: each says so when it does, and where one has not,
// the glue gives Go up, with a message that tells it.
//
// A browser has room for about 124 memories. Program.Start waits for some, in a
// line that the glue keeps, and fails with [engine.ErrTooMany] if there is none.
//
// A guest's memory is out of Go's reach, and is copied from and to.
//
// Fuel is the scheduler: every few milliseconds a guest that needs more waits
// until the browser has done what else there is to do. The stack is the
// browser's, of about a megabyte, whatever RunConfig.MaxStack says.
package page
