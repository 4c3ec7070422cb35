package vfs

// An FS is a file system that can be mounted in a [Tree]: a host directory,
// memory, devices, or one of yours.
//
// Names are relative and clean: "." or components joined by single slashes,
// none of them empty, "." or "..". No method follows a symbolic link in the
// last component: the Tree does, since only it knows what a target means.
// Nor does any follow one in the other components: that is ELOOP, and the Tree
// then walks. So a link that somebody swaps in after the Tree has looked leads
// nowhere, least of all around a mount.
// Errors are of type errno.Errno. Methods are safe for concurrent use.
type FS interface {
	// Open opens a file or directory. A FIFO, socket or device of the host is
	// never opened: EPERM. A symbolic link is ELOOP.
	Open(name string, how How) (File, error)
	// Lstat describes the entry itself.
	Lstat(name string) (Stat, error)
	Readlink(name string) (string, error)
	// Mkdir makes a directory; mode 0 is 0o777, and what the umask takes.
	Mkdir(name string, mode Mode) error
	// Unlink removes anything but a directory, Rmdir an empty directory.
	Unlink(name string) error
	Rmdir(name string) error
	// Rename and Link stay within this FS.
	Rename(old, new string) error
	Link(old, new string) error
	Symlink(target, name string) error
	SetTimes(name string, t Times) error
	// SetMode sets the permissions of a file or directory. Of what else mode
	// has, a file keeps nothing, and a directory what it had. Anything else is
	// ENOTSUP, a symbolic link too, and so is a file system without modes.
	SetMode(name string, mode Mode) error
	// Close frees what the FS holds; open files stay usable.
	Close() error
}

// How says how to open a file. The zero value opens nothing usable: set Read,
// Write or Directory. Truncate needs no Write.
type How struct {
	Read, Write bool
	Append      bool // each write goes to the end
	Create      bool // if it does not exist
	Exclusive   bool // with Create: it must not exist, not even as a symbolic link
	Truncate    bool
	Directory   bool // it must be a directory
	Mode        Mode // of what is created; 0 is 0o666, and what the umask takes
}

// A File is an open file or directory. It has no position: whoever reads it
// keeps one. Methods are safe for concurrent use, and those that make no sense
// for what it is return EISDIR, ENOTDIR, EINVAL or ESPIPE as POSIX does.
// What How did not ask for is EBADF.
type File interface {
	Stat() (Stat, error)
	// ReadAt reads up to len(p) bytes. n is less only at the end of the file,
	// where it returns 0, nil: io.EOF is not used.
	ReadAt(p []byte, offset int64) (n int, err error)
	// WriteAt writes p at offset, or at the end with How.Append. n is less
	// than len(p) only with an error, such as EDQUOT, EFBIG or ENOSPC.
	WriteAt(p []byte, offset int64) (n int, err error)
	// Truncate sets the size. Allocate makes it at least offset+length.
	Truncate(size int64) error
	Allocate(offset, length int64) error
	SetTimes(t Times) error
	// Sync flushes to stable storage; data says that metadata may wait.
	Sync(data bool) error
	// ReadDir returns entries from position cookie on, in an order that stays
	// the same while the directory is open, "." and ".." first. Each entry
	// has the cookie of the one after it; 0 is the first. max bounds how many
	// are returned; none at all is the end. What is created or removed
	// meanwhile may be seen or not; all else is seen once. A host's names that
	// are not UTF-8 are left out, since a guest could not say them.
	// Cookies are less than 1<<63 + 1<<32: Sub and the Tree have the others.
	ReadDir(cookie uint64, max int) ([]Entry, error)
	Close() error
}

// A Stdio is a File that stands for a descriptor of the process that opens it,
// such as /dev/stdin. Whoever has descriptors duplicates that one instead.
type Stdio interface {
	// Stdio returns 0, 1 or 2; Terminal or HTTP; -1 if the File stands for none.
	Stdio() int
}

// What a Stdio returns besides the numbers of streams.
const (
	Terminal = 3 // it stands for the process's terminal
	HTTP     = 4 // it stands for a new exchange by HTTP
)

// A Type is what a directory entry is, in WASI's numbers.
//
// https://github.com/WebAssembly/WASI/blob/wasi-0.1/preview1/docs.md#filetype
type Type uint8

const (
	Unknown         Type = 0 // none of those below, such as a FIFO
	BlockDevice     Type = 1 // a device of blocks, such as a disk
	CharacterDevice Type = 2 // a device of bytes, such as a terminal
	Directory       Type = 3 // a directory
	RegularFile     Type = 4 // a file with contents
	SocketDgram     Type = 5 // a socket for datagrams
	SocketStream    Type = 6 // a socket for a stream of bytes
	SymbolicLink    Type = 7 // a link to another name
)

// A Stat describes a file, as WASI's filestat.
type Stat struct {
	// Dev is the number of the mount, set by the Tree. Ino tells nothing but
	// identity; it stays the same while the file exists.
	Dev, Ino uint64
	Type     Type
	Mode     Mode // 0 where the file system has none
	Nlink    uint64
	Size     uint64 // in bytes
	// Atim, Mtim and Ctim are in nanoseconds since 1970.
	Atim, Mtim, Ctim int64
}

// Times are new access and modification times, in nanoseconds since 1970.
// What is not set stays as it is. The caller has read the clock.
type Times struct {
	Atim, Mtim       int64
	SetAtim, SetMtim bool
}

// An Entry is one name in a directory.
type Entry struct {
	Name string
	Type Type   // or Unknown: Lstat tells
	Ino  uint64 // or 0: Lstat tells
	Next uint64 // the cookie of the entry after it
}
