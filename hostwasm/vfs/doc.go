// Package vfs gives each sandboxed terminal one tree of files.
//
// A [Tree] has a root of its own and, mounted in it, file systems ([FS]): host
// directories ([OpenHost]), memory, such as a private /tmp ([Memory]), devices
// ([Devices]), and /bin, made from the names of commands ([Bin]). The Tree
// resolves names itself, component by component, as the kernel would inside a
// chroot: ".." at the root is the root, and an absolute symbolic link begins
// there. So a guest may walk wherever its tree goes, and nowhere else: what a
// host directory's links say about the rest of the host means nothing here.
//
// A host directory is opened once, by os.Root, and everything in it through
// that descriptor. No link is followed on the way, not even one that stays
// inside: only the Tree knows what is mounted where. What the host or another
// guest swaps meanwhile makes a name fail, not lead elsewhere.
//
// Guests may make links to anything, and leave them in host directories. Inside
// they lead nowhere else; programs of the host that follow them should know
// whom they trust.
//
// Where a host's file system takes two names for one, as on macOS, a mount in a
// host directory hides only the name that it was given. HostOptions.Hidden hides
// a directory by whatever name.
package vfs
