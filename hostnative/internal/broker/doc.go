// Package broker connects the sockets of commands in a sandbox. They can't call
// connect(2), bind(2) and listen(2) themselves: the kernel asks a Session about each
// call (seccomp_unotify(2), see confine.Apply), and it makes the call itself or
// refuses it.
//
// What a command may do:
//
//   - bind and listen on loopback. All addresses (0.0.0.0 and ::) mean loopback, so that
//     servers that listen there, as most do unless they are told otherwise, are out of
//     reach for other machines.
//   - bind a path in a directory that the command may write.
//   - connect to what commands of its own session have bound so.
//   - connect to the addresses and paths that its host lists.
//   - schedule the threads of its own process, and choose their processors.
//
// All else is refused with EACCES, and the host is told. So is what asks for a datagram
// socket as programs do that look up names: it would go round connect, and the host is told
// since such a program says no more than that there is no such name. A program that has made itself
// undumpable (prctl(2), as ssh-agent does) connects to nothing: its sockets can't be taken.
//
// # Nothing to race
//
// The command's memory may change while a Session decides, and so may what a path leads
// to. So the address is copied once, and the copy is what is decided about and passed to
// the kernel. The socket is taken (pidfd_getfd(2)), so the number in the command's call
// is not used again. A path to connect to is opened first, and then the open file is
// looked at and connected to. A path to bind is bound on a thread that Landlock allows to
// make sockets in writable directories only.
//
// Who listens is known by the socket's inode and not by its port: when a server has
// ended, another program may get its port.
package broker
