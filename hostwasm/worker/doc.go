// Package worker runs the WASI commands of each session in a process of their own, a
// worker, so that what breaks out of package hostwasm is not in this program: [Host]
// is a driver.Host like hostwasm.Host, and runs that one in the worker.
//
// It is the one for modules that nobody trusts, and what the terrarium command takes.
// It takes Linux or macOS, and a program whose main begins with [Main]: yours, or the
// one that Config.Helper names. Take hostwasm.Host elsewhere, in a page say, and where
// modules are your own or a process for each session is too much.
//
// # What a worker has
//
// No environment, no descriptor but /dev/null, a socket to us and the
// three streams of each command. It is the leader of a session, its resources are
// limited, and before it sees anything of a guest it has given up, where the
// system lets it, all system calls but those on a list (seccomp), all
// capabilities but those that files of other users need, and all files but those
// that were handed over, a session's /tmp and, to read, compiled modules
// (Landlock). [Host.Report] tells what holds here; Config.Required insists.
// Where there is no Landlock, a worker that was taken over can read the memory
// of other processes of its user, and so of this program unless that is
// undumpable: set Config.Undumpable, if it may be.
//
// # Who does what
//
// A worker serves one session, and never two: a few are kept warm. It loads a
// module once, for all commands of the session that are handed over the same
// directories; those with others have another worker, and so has each command where
// they are deterministic. Limits are for each command. A worker has 16 commands at
// most, or fewer where these may have many processes; more have another one. It goes
// when it has run nothing for a minute, and gets no new commands when it has served
// for an hour.
//
// It asks us for modules, for memory, for permissions of files to be set, and for a
// module to be compiled, which is done by a worker that runs no guest. What it says
// is checked like anything from outside.
//
// # How it ends
//
// A command is ended by the worker. Where that fails, SIGKILL ends the worker: after
// two seconds if nothing else runs there, and else after 30, and then the other
// commands are lost (core.ReasonLost). So are they where a worker ends by itself. If
// the system kills it, with one command in it, the reason is memory. A worker ends
// when we do.
package worker
