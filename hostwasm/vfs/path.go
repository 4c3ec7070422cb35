package vfs

// A Path names something in a [Tree].
type Path struct {
	// Dir is where a relative Name begins: an absolute, clean path in the
	// Tree. An open directory is known by such a path: it does not follow a
	// directory that is renamed.
	Dir string
	// Name is as the guest gave it: relative or absolute, with any "..",
	// slashes and symbolic links; at most 4096 bytes and without NUL.
	Name string
	// Follow says that a symbolic link in the last component is followed.
	Follow bool
	// Beneath confines Name to Dir: what would leave it, also through a link
	// or by being absolute, is EPERM.
	Beneath bool
}
