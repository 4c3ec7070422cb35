// Package hostnative runs commands as processes of the operating system, on a
// pseudo-terminal or on pipes. [Host] is its driver.Host, for Linux and macOS.
//
// # What is promised
//
// A command is the leader of a session and process group of its own. Signal
// and Close reach every process of its tree, also those that have left the
// group, and also after the command itself has ended: it is kept as a zombie
// until Close, so that no stranger can be given the group's number. The host's
// own group is never signalled.
//
// On Linux a keeper does this: a process of its own, which the Host starts with the
// first command, as Config.Helper tells. It starts the commands, waits for them, and
// ends their trees. This program is never started a second time unless it has asked
// for that, and what it starts itself is none of the keeper's business.
//
// A tree is known by three things, of which any one is enough: the cgroup that each
// command gets, where this program may make some (cgroups(7), version 2); descent,
// also of orphans, as the keeper is a subreaper; and a random TERRARIUM_ID in the
// environment. Nothing of it is alive when Close returns without an error.
//
// When this program dies, its keeper ends everything and then itself: as an orphan, so
// that whoever adopts it has to reap it. When the keeper dies, Wait says that its
// commands are lost (core.ReasonLost); another keeper kills what they have left, and
// Close waits for that. The first keeper kills also what dead programs have left, by
// the same cgroups and TERRARIUM_ID. A program that hangs in its start, on a file
// system that does not answer, takes a keeper with it, and the next start another: a
// Host has eight at the most, and all but one are for that.
//
// Without a keeper this program starts commands and waits for them itself. Orphans are
// init's children then, and are known by cgroup or TERRARIUM_ID only; a program that
// hangs in its start holds up all other starts, and Go's garbage collector. Report
// says which of the two is the case.
//
// Making a cgroup takes longer than much of what is run in it. So up to four are kept,
// empty and unchanged, of commands that have ended by themselves, and Host.Close
// removes them, or else the next start of a host. A session whose commands are confined
// keeps one besides.
//
// Nor does a session with a Config.Sandbox wait for all of its keeper's start. Resolve of
// the first command starts a process that becomes one, and from the second session on
// another is ready. It ends when a minute has passed in which nobody needed it, and with
// Host.Close.
//
// Close ends Output, Write and Wait whatever the command's processes do, and
// on an interactive pty it hangs up: the foreground group gets SIGHUP. A command inherits
// the descriptors 0, 1 and 2, and those that the embedding program itself
// opened without close-on-exec. It also inherits which signals this program was
// told to ignore, by nohup(1) for one, but for those that it has called
// signal.Notify for; its umask, and its limits. All this is as it was when the keeper
// was started.
//
// # What is not
//
// Without Config.Limits nothing is limited, and without Config.Sandbox nothing is
// hidden from the command: it may signal what its user may signal, this program
// included.
//
// A process escapes that hides in all the ways there are: without cgroups, one
// that has become an orphan in a session of its own and has emptied its
// environment; with them, one that has left its cgroup besides, which takes the
// right to write to another one. When the keeper is killed there is no descent any
// more: one of the other two has to find them. A command may kill its keeper, as it
// may kill this program.
//
// On macOS a tree is its process group: who calls setsid outlives Close.
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
// The kind of terminal shows. On a pty the two streams are one, in the order
// they were written. On pipes most programs write in blocks rather than lines.
// An interactive pty is the controlling terminal of its command, and a
// background process gets SIGHUP when the command ends; otherwise it survives
// the command, until Close.
//
// A pty that nobody types at controls no one: /dev/tty cannot be opened (ENXIO),
// so that ssh and sudo fail rather than ask, and the pty can be written only.
// Resize sends SIGWINCH to the command's group, as a controlling terminal would.
// A command that opens its pty by name, to read it, can still wait for ever.
package hostnative
