// Package confine keeps commands from what they were not handed over: files, by
// Landlock, and system calls, by seccomp. [Rules] say what is handed over, and
// [Apply] gives up the rest, on the thread that calls it and in all that it
// starts. It works on Linux, on amd64 and arm64, and elsewhere it fails.
//
// No process is started here. The keeper locks a thread, calls Apply on it, and
// executes itself again, so that all of it is restricted. Then it starts
// commands. A command must never be started from a restricted thread of a host
// that is not restricted itself: the two share a domain, and so the command
// could ptrace the host.
//
// # Files
//
// Landlock can only allow, and what it allows holds for all that is below. So a
// hidden file is one that no rule is for: the directories above it are granted
// entry by entry, around it. What comes into such a directory later, or takes
// the place of an entry, is not granted: Report.Around names them, and whoever
// finds that one of them has changed (Report.Changed) has to start another keeper for
// the commands that follow.
//
// Of two paths, one below the other, the lower one counts. A root inside a hidden
// directory is handed over. A hidden directory inside a root stays hidden, and
// the root is then granted around it, so that nothing new can be made in the
// root itself. Our own files stay hidden whatever is handed over, and are no root.
// A link counts as what it leads to, and one that leads to what is hidden is no
// root either: a command of another session may have made it.
//
// # Calls
//
// What Landlock does not know is refused by number and by what is in registers:
// a filter can't see what pointers lead to. All calls but those in a list are
// allowed. Four can be decided by another process: connect, bind, listen and
// clone3, see [Apply].
//
// # What is not held
//
// Report.Gaps says it for the rules and the kernel at hand. The largest is that
// modes, owners, times and attributes of any file can be changed by its owner.
package confine
