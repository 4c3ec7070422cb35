// Package core is the machine behind every Terrarium terminal: what a client
// asked for goes in, what the host reports goes in, and effects come out.
//
// The machine starts no process, reads no clock and waits for nothing. A
// [Registry] holds the terminals of one owner; each [Terminal] keeps the
// output of one command. Their methods are of four kinds:
//
//   - getters, such as [Registry.Status] and [Terminal.AppendOutput];
//   - commands, what a client asks: [Registry.Create], [Registry.Kill], …;
//   - Handle…, what a host, a person or the clock reports;
//   - outputs: [Registry.NextEffect] and [Registry.Deadline].
//
// Every method that depends on time takes now as its first argument. After
// each call the owner drains NextEffect until it returns false, and calls
// [Registry.HandleTimeout] when Deadline has come.
//
// A terminal lives through
//
//	Resolve → (Ask) → Start → running → exited and drained → released
//
// and each arrow is one Effect out and one Handle… in. [Started] or
// [StartFailed] follows every successful Create, and [Exited] follows every
// Started, whatever the host does.
//
// Nothing here is safe for concurrent use, with one exception that package
// driver relies on: the output half of a terminal may be used under a lock of its
// own. Such a driver takes that half with [Registry.Split], and reports to it. What
// it returns goes to [Registry.HandleSeen]: calls in another order do not compile, or
// panic with what to do.
//
// The package is pure: it builds for wasip1, where cmd/reactor exports it, and
// the same scripts give the same answers there and here.
package core
