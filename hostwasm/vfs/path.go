package vfs

// A Path names something in a [Tree].
type Path struct {
	// Dir is where a relative Name begins: an absolute, clean path without
	// links, as Open returns it. An open directory is known by such a path: it
	// does not follow a directory that is renamed. A link that was put into
	// Dir since is not followed: ELOOP, or ENOTDIR.
	Dir string
	// Name is as the guest gave it: relative or absolute, with any "..",
	// slashes and symbolic links. Empty is ENOENT, longer than 4096 bytes or
	// with a component longer than 255 ENAMETOOLONG, with a NUL EINVAL, not
	// UTF-8 EILSEQ.
	Name string
	// Follow says that a symbolic link in the last component is followed.
	Follow bool
	// Beneath confines Name to Dir: what would leave it, also through a link
	// or by being absolute, is EPERM, and so is making an absolute link.
	Beneath bool
	// Steps, if not nil, is increased by how many places were looked at to
	// resolve the name, those that links lead to included.
	Steps *int
	// Wait, if not nil, is how a file system waits for others that has to.
	Wait Wait

	// noLinks makes a symbolic link before the last component ELOOP.
	noLinks bool
}
