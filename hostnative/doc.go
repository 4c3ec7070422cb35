// Package hostnative runs commands as processes of the operating system, on a
// pseudo-terminal or on pipes. [Host] is its driver.Host, for Linux and macOS.
//
// # What is promised
//
// A command is the leader of a session and process group of its own. Signal
// and Close reach every process of that group, also after the command itself
// has ended: it is kept as a zombie until Close, so that no stranger can be
// given the group's number. The host's own group is never signalled.
//
// Close ends Output, Write and Wait whatever the command's processes do, and
// on a pty it hangs up: the foreground group gets SIGHUP. A command inherits
// the descriptors 0, 1 and 2, and those that the embedding program itself
// opened without close-on-exec.
//
// # What is not
//
// A process that leaves the group outlives Close: one that called setsid (a
// daemon), or a job that an interactive shell put in a group of its own and
// that ignores SIGHUP. Nothing is limited, and nothing is hidden from the
// command; if this program is killed, what ignores SIGHUP or has no pty lives
// on.
//
// # What a running command costs
//
// On Linux no thread: Go's poller waits for output, input and the end, on two
// descriptors for a pty and three for pipes, one more for standard input; there
// is no buffer while there is nothing to read. On macOS, and on Linux before
// 5.4, each takes one thread, which waits for its end.
//
// # On a pty and on pipes
//
// The kind of terminal shows. On a pty a background process gets SIGHUP when
// the command ends, and the two streams are one, in the order they were
// written. On pipes background processes survive the command, and most
// programs write in blocks rather than lines.
package hostnative
