// Package vfs gives each sandboxed terminal one tree of files.
//
// A [Tree] has a root of its own and, mounted in it, file systems ([FS]): host
// directories, which are reached through os.Root alone; memory, such as a
// private /tmp; devices; and /bin, made from the names of commands. The Tree
// resolves names itself, component by component, as the kernel would inside a
// chroot: ".." at the root is the root, and an absolute symbolic link begins
// there. So a guest may walk wherever its tree goes, and nowhere else: what a
// host directory's links say about the rest of the host means nothing here.
package vfs
