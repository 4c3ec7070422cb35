package sys

import (
	"io/fs"
	"os"
	"time"

	modes "github.com/terrarium-dev/terrarium/plugins/fs"
)

// Info is what stat(2) tells of a file.
type Info struct {
	Dev, Ino, Nlink, Rdev uint64
	Uid, Gid              uint32
	Size                  int64
	Blocks                int64  // of 512 bytes
	Mode                  uint32 // type and permissions, numbered as on Linux
	Atime, Mtime, Ctime   time.Time
}

// The bits of Info.Mode.
const (
	TypeMask = 0o170000
	Socket   = 0o140000
	Symlink  = 0o120000
	Regular  = 0o100000
	Block    = 0o060000
	Dir      = 0o040000
	Char     = 0o020000
	Fifo     = 0o010000

	SetUID = 0o4000
	SetGID = 0o2000
	Sticky = 0o1000
)

// IsDir reports whether the file is a directory.
func (i Info) IsDir() bool { return i.Mode&TypeMask == Dir }

// IsLink reports whether the file is a symbolic link.
func (i Info) IsLink() bool { return i.Mode&TypeMask == Symlink }

// IsRegular reports whether the file is a regular one.
func (i Info) IsRegular() bool { return i.Mode&TypeMask == Regular }

// Type returns the letter of "ls -l" for the file's type.
func (i Info) Type() byte {
	switch i.Mode & TypeMask {
	case Dir:
		return 'd'
	case Symlink:
		return 'l'
	case Fifo:
		return 'p'
	case Socket:
		return 's'
	case Block:
		return 'b'
	case Char:
		return 'c'
	}
	return '-'
}

// ModeString returns the mode as "ls -l" shows it, such as "drwxr-xr-x".
func (i Info) ModeString() string {
	p := []byte("?rwxrwxrwx")
	p[0] = i.Type()
	for bit := range 9 {
		if i.Mode&(1<<(8-bit)) == 0 {
			p[bit+1] = '-'
		}
	}
	for _, s := range []struct {
		bit  uint32
		at   int
		mark byte
	}{{SetUID, 3, 's'}, {SetGID, 6, 's'}, {Sticky, 9, 't'}} {
		switch {
		case i.Mode&s.bit == 0:
		case p[s.at] == 'x':
			p[s.at] = s.mark
		default:
			p[s.at] = s.mark &^ 0x20
		}
	}
	return string(p)
}

// Executable reports whether somebody may run a file: everybody, where a file system keeps no
// permissions.
func Executable(fi fs.FileInfo) bool {
	mode, ok := modes.Mode(fi)
	return !ok || mode&0o111 != 0
}

// Chmod sets the permissions of a file. Nothing is done to one that has them.
func Chmod(f *os.File, mode uint32) error {
	if fi, err := f.Stat(); err == nil {
		if is, ok := modes.Mode(fi); ok && is == mode {
			return nil
		}
	}
	return modes.Fchmod(f, mode)
}

// FileMode returns the permissions of mode as Go numbers them.
func FileMode(mode uint32) fs.FileMode {
	m := fs.FileMode(mode & 0o777)
	if mode&SetUID != 0 {
		m |= fs.ModeSetuid
	}
	if mode&SetGID != 0 {
		m |= fs.ModeSetgid
	}
	if mode&Sticky != 0 {
		m |= fs.ModeSticky
	}
	return m
}

// modeOf numbers Go's mode as Linux does.
func modeOf(m fs.FileMode) uint32 {
	mode := uint32(m.Perm())
	switch m.Type() {
	case fs.ModeDir:
		mode |= Dir
	case fs.ModeSymlink:
		mode |= Symlink
	case fs.ModeNamedPipe:
		mode |= Fifo
	case fs.ModeSocket:
		mode |= Socket
	case fs.ModeDevice:
		mode |= Block
	case fs.ModeDevice | fs.ModeCharDevice, fs.ModeCharDevice:
		mode |= Char
	default:
		mode |= Regular
	}
	if m&fs.ModeSetuid != 0 {
		mode |= SetUID
	}
	if m&fs.ModeSetgid != 0 {
		mode |= SetGID
	}
	if m&fs.ModeSticky != 0 {
		mode |= Sticky
	}
	return mode
}

// portable is what every system tells.
func portable(fi fs.FileInfo) Info {
	return Info{
		Nlink: 1, Size: fi.Size(), Blocks: (fi.Size() + 4095) / 4096 * 8, Mode: modeOf(fi.Mode()),
		Atime: fi.ModTime(), Mtime: fi.ModTime(), Ctime: fi.ModTime(),
	}
}

// Same reports whether a and b are the same file.
func Same(a, b Info) bool { return a.Ino == b.Ino && a.Dev == b.Dev && a.Ino != 0 }
