// Package worker runs each WASI command in a process of its own, a worker, so
// that what breaks out of package hostwasm is not in this program: [Host] is a
// driver.Host like hostwasm.Host, and runs that one in the worker.
//
// # What a worker has
//
// No environment, no descriptor but /dev/null, a socket to us and the
// command's three streams. It is the leader of a session, its resources are
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
// A worker serves one terminal, and never two: a few are kept warm. It asks us
// for modules, for memory, for permissions of files to be set, and for a module
// to be compiled, which is done by a worker that runs no guest. What it says is
// checked like anything from outside. It ends when we do, and we end it by
// SIGKILL.
package worker
