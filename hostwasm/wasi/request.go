package wasi

import (
	"bytes"
	"encoding/binary"
	"time"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
)

// A Request is what spawn was asked for. Its strings have no zero bytes.
type Request struct {
	// Program is a path in the guest's tree, or, if Named, a command's name.
	Program string
	Named   bool
	Args    []string // the first is argv[0]
	Env     []string // each NAME=value
	// Inherited are the child's descriptors, for its Config. They are lent
	// until Spawn returns.
	Inherited []Inherited
	// Dirs is what the child sees of its parent's tree; all of it if empty.
	Dirs []Dir
	// Cwd is the child's current directory, an absolute path. Empty: its
	// parent's.
	Cwd string
	// Limits are what the child may use, at most.
	Limits RequestLimits
	// PID is the number that the child shall have, of those that
	// Processes.Reserve has given. 0 is the next one.
	PID uint32
	// Modes are those of what the child creates: its parent's.
	Modes FileModes
}

// A Dir is a tree of files that a child sees.
type Dir struct {
	Path     string // absolute
	ReadOnly bool
}

// RequestLimits are a child's own limits. 0 is what the parent has left.
type RequestLimits struct {
	Fuel   uint64
	Memory uint64 // in bytes
	Wall   time.Duration
	Output uint64 // in bytes
}

// maxRequest is how long a request may be, in bytes, and maxDirs how many trees
// of files a child may see, each of which is opened and mounted.
const (
	maxRequest = 1 << 20
	maxDirs    = 64
)

// The types of a request's parts.
const (
	partProgram = 1 + iota
	partArg
	partEnv
	partFD
	partDir
	partCwd
	partLimits
	partPID

	// partCritical marks types that must be understood.
	partCritical = 1 << 15
)

// mapping is a PART of type FD: it makes a descriptor of the parent one of the
// child's.
type mapping struct {
	child, parent uint32
	move          bool
}

// decodeRequest reads a request: ABI.md, "spawn". It returns EINVAL for what
// is malformed.
func decodeRequest(b []byte) (r Request, fds []mapping, err error) {
	le := binary.LittleEndian
	if len(b) < 8 || uint64(le.Uint32(b)) != uint64(len(b)) || le.Uint16(b[4:]) != 0 || le.Uint16(b[6:]) > 1 {
		return Request{}, nil, errno.INVAL
	}
	r.Named = le.Uint16(b[6:]) == 1
	d := decoder{r: &r, seen: make(map[uint16]bool)}
	for at := 8; at < len(b); {
		rest := b[at:]
		if len(rest) < 8 || le.Uint16(rest[2:]) != 0 {
			return Request{}, nil, errno.INVAL
		}
		kind, size := le.Uint16(rest), uint64(le.Uint32(rest[4:]))
		if size > uint64(len(rest)-8) {
			return Request{}, nil, errno.INVAL
		}
		if err := d.part(kind, rest[8:8+size]); err != nil {
			return Request{}, nil, err
		}
		at = (at + 8 + int(size) + 3) &^ 3
	}
	if r.Program == "" {
		return Request{}, nil, errno.INVAL
	}
	return r, d.fds, nil
}

type decoder struct {
	r    *Request
	fds  []mapping
	seen map[uint16]bool // parts that may be there once
}

func (d *decoder) part(kind uint16, b []byte) error {
	switch kind {
	case partProgram, partCwd, partLimits, partPID:
		if d.seen[kind] {
			return errno.INVAL
		}
		d.seen[kind] = true
	}
	switch kind {
	case partProgram:
		return setText(&d.r.Program, b)
	case partArg:
		return addText(&d.r.Args, b)
	case partEnv:
		if bytes.IndexByte(b, '=') <= 0 {
			return errno.INVAL
		}
		return addText(&d.r.Env, b)
	case partFD:
		return d.fd(b)
	case partDir:
		return d.dir(b)
	case partCwd:
		if len(b) == 0 || b[0] != '/' {
			return errno.INVAL
		}
		return setText(&d.r.Cwd, b)
	case partLimits:
		return d.limits(b)
	case partPID:
		return d.pid(b)
	}
	if kind&partCritical != 0 {
		return errno.INVAL
	}
	return nil
}

func setText(s *string, b []byte) error {
	if bytes.IndexByte(b, 0) >= 0 {
		return errno.INVAL
	}
	*s = string(b)
	return nil
}

func addText(list *[]string, b []byte) error {
	var s string
	if err := setText(&s, b); err != nil {
		return err
	}
	*list = append(*list, s)
	return nil
}

func (d *decoder) fd(b []byte) error {
	const move = 1
	le := binary.LittleEndian
	if len(b) != 12 || le.Uint32(b[8:]) > move {
		return errno.INVAL
	}
	d.fds = append(d.fds, mapping{le.Uint32(b), le.Uint32(b[4:]), le.Uint32(b[8:]) == move})
	return nil
}

func (d *decoder) dir(b []byte) error {
	const readOnly = 1
	if len(b) < 5 || binary.LittleEndian.Uint32(b) > readOnly || b[4] != '/' {
		return errno.INVAL
	}
	dir := Dir{ReadOnly: binary.LittleEndian.Uint32(b) == readOnly}
	if err := setText(&dir.Path, b[4:]); err != nil {
		return err
	}
	if len(d.r.Dirs) >= maxDirs {
		return errno.TOOBIG
	}
	d.r.Dirs = append(d.r.Dirs, dir)
	return nil
}

func (d *decoder) limits(b []byte) error {
	if len(b) != 32 {
		return errno.INVAL
	}
	le := binary.LittleEndian
	d.r.Limits = RequestLimits{
		Fuel:   le.Uint64(b),
		Memory: le.Uint64(b[8:]),
		Wall:   toTime(le.Uint64(b[16:])),
		Output: le.Uint64(b[24:]),
	}
	return nil
}

func (d *decoder) pid(b []byte) error {
	if len(b) != 4 || binary.LittleEndian.Uint32(b) == 0 {
		return errno.INVAL
	}
	d.r.PID = binary.LittleEndian.Uint32(b)
	return nil
}
