package wasi

import (
	"crypto/rand"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
)

// A Config says what a process has. The zero value has nothing: no arguments
// and no files, and its standard descriptors are at their end.
type Config struct {
	// Args are the arguments; the first is the name of the command.
	Args []string
	// Env are the variables, each NAME=value.
	Env []string

	// Files is the tree of files, nil if there is none.
	Files Files
	// Dir is the current directory: absolute. It is what "." is in the derived
	// Preopens, and PWD, unless Env has one. If it is empty, "." is the root,
	// and there is no PWD.
	Dir string
	// Preopens are the directories that the guest is told of; it finds other
	// files by names that begin in one of them. If nil, they are derived: "/"
	// first, then each directory in it by its own absolute name, and last "."
	// for Dir. wasi-libc takes the last of the longest names that fit and
	// forgets whether a name was absolute, so that relative names go to Dir,
	// unless they begin with the name of a directory in the root.
	Preopens []Preopen

	// Stdin, Stdout and Stderr are descriptors 0 to 2. What is nil is at the
	// end of the file when read, and swallows what is written.
	Stdin, Stdout, Stderr *OpenFile
	// Inherited are more descriptors, or others in place of those.
	Inherited []Inherited
	// Terminal is the terminal that the process leads, whose interrupts it may
	// ask for; nil if there is none.
	Terminal *Terminal

	// Modes are those of what the process creates, until it says otherwise. A
	// zero one is 0o644, and 0o755 for directories.
	Modes FileModes

	// Clock is the host's if nil, and Random is crypto/rand. The process alone
	// uses them.
	Clock  Clock
	Random io.Reader
	// Deterministic gives those that are nil a clock that begins at
	// 2026-01-01, moves on by a microsecond each time it is read and sleeps in
	// no time, and random numbers that are the same in each run.
	Deterministic bool

	Limits Limits
	// Spawner starts child processes; nil if there may be none.
	Spawner Spawner
	// Processes is the table that the process is in; nil if it can see none.
	Processes Processes
	// HTTP is handed each exchange that the process opens, and has it answered by
	// somebody: it does not wait. An error is an errno.Errno, and then it is not
	// answered. Nil if nothing can be fetched.
	HTTP func(*Exchange) error
}

// A Preopen is a directory that a guest is told of when it begins.
type Preopen struct {
	// Name is what the guest calls it.
	Name string
	// Path is where it is in Files: absolute.
	Path string
	// Beneath says that names which begin here can't leave it, not by "..",
	// nor through links, and that no absolute links are made in it. Without it
	// the root of Files is the only border.
	Beneath bool
}

// Limits are what a process may use. Zero values stand for defaults.
type Limits struct {
	// OpenFiles is how many descriptors there may be: 256. One more is EMFILE.
	OpenFiles int
	// Args is how many bytes arguments and variables may have, with a zero
	// byte and a pointer for each: 1 MiB. More of them is E2BIG.
	Args int
	// Output is what may be written to pipes that the host reads, in bytes. It
	// ends the guest when it is used up: [Limit]. Nil is no limit.
	Output *Quota
	// Memory is asked for what the guest has us keep, nil if nobody counts.
	Memory Memory
	// Fuel is told what the host does for the guest: bytes that are moved, names
	// that are resolved, in units of the guest's fuel. An error ends the guest.
	// Nil if nobody counts. It is called by who calls the functions.
	Fuel func(n int64) error
}

// A Memory is an account of memory, in bytes. It is safe for concurrent use.
type Memory interface {
	// Take books n bytes, or nothing if there are less: that is ENOMEM.
	Take(n int64) bool
	Give(n int64)
}

const (
	defaultOpenFiles = 256
	maxOpenFiles     = 1 << 16
	defaultArgs      = 1 << 20
)

// Inherited is a descriptor that a process has from the beginning.
type Inherited struct {
	FD   uint32
	File *OpenFile

	handed           bool // by a parent, which may have narrower rights than its file allows:
	base, inheriting rights
}

// New makes a process. It takes a share in the files that it is given, unless
// it fails. What is wrong with c is an error that wraps an errno.Errno.
func New(c Config) (*Process, error) {
	p := &Process{
		files:   c.Files,
		dir:     path.Clean("/" + c.Dir),
		fds:     table{max: c.Limits.OpenFiles},
		output:  c.Limits.Output,
		memory:  c.Limits.Memory,
		fuel:    c.Limits.Fuel,
		spawner: c.Spawner,
		clock:   c.Clock,
		random:  c.Random,
		wake:    newWaker(),

		terminal:  c.Terminal,
		processes: c.Processes,
		http:      c.HTTP,
		modes:     c.Modes.withDefaults(),
	}
	if p.fds.max <= 0 {
		p.fds.max = defaultOpenFiles
	}
	p.fds.max = min(p.fds.max, maxOpenFiles)
	p.wait = p.await
	if err := p.setArgs(c); err != nil {
		return nil, err
	}
	p.setSources(c)
	if err := p.setDescriptors(c); err != nil {
		return nil, err
	}
	return p, nil
}

func (p *Process) setArgs(c Config) error {
	p.args, p.env = c.Args, c.Env
	hasPWD := slices.ContainsFunc(c.Env, func(s string) bool { return strings.HasPrefix(s, "PWD=") })
	if c.Dir != "" && !hasPWD {
		p.env = append(slices.Clip(c.Env), "PWD="+p.dir)
	}
	size := 0
	for _, list := range [][]string{p.args, p.env} {
		for _, s := range list {
			if strings.IndexByte(s, 0) >= 0 {
				return fmt.Errorf("wasi: a zero byte in %.40q: %w", s, errno.INVAL)
			}
			size += len(s) + 1 + 4
		}
	}
	limit := c.Limits.Args
	if limit <= 0 {
		limit = defaultArgs
	}
	if size > limit {
		return fmt.Errorf("wasi: arguments and variables of %d bytes, %d are allowed: %w", size, limit, errno.TOOBIG)
	}
	return nil
}

func (p *Process) setSources(c Config) {
	switch {
	case p.clock != nil:
	case c.Deterministic:
		p.clock = &virtualClock{}
	default:
		p.clock = realClock{time.Now()}
	}
	p.started = p.clock.Monotonic()
	switch {
	case p.random != nil:
	case c.Deterministic:
		p.random = mathrand.NewChaCha8([32]byte{})
	default:
		p.random = rand.Reader
	}
}

func (p *Process) setDescriptors(c Config) error {
	preopened, err := p.preopen(c)
	if err != nil {
		return err
	}
	taken := make(map[uint32]bool, len(c.Inherited))
	for _, h := range c.Inherited {
		if int64(h.FD) >= int64(p.fds.max) {
			return fmt.Errorf("wasi: descriptor %d, and %d are allowed: %w", h.FD, p.fds.max, errno.MFILE)
		}
		if taken[h.FD] {
			return fmt.Errorf("wasi: descriptor %d is inherited twice: %w", h.FD, errno.INVAL)
		}
		taken[h.FD] = true
	}
	if n := len(preopened) + 3 + len(c.Inherited); n > p.fds.max {
		return fmt.Errorf("wasi: %d descriptors to begin with, %d are allowed: %w", n, p.fds.max, errno.MFILE)
	}
	// From here on nothing fails.
	for _, h := range c.Inherited {
		p.fds.set(h.FD, h.descriptor())
	}
	for fd, f := range []*OpenFile{c.Stdin, c.Stdout, c.Stderr} {
		if _, err := p.fds.get(uint32(fd)); err == nil {
			continue
		}
		if f == nil {
			f = &OpenFile{stream: null{}, rights: streamRights | rightFDRead | rightFDWrite}
		}
		p.fds.set(uint32(fd), descriptor{file: f, base: f.rights})
	}
	last := uint32(0)
	for _, d := range preopened {
		last, _ = p.fds.add(d, 3)
	}
	for fd := uint32(3); fd < last; fd++ {
		// A guest stops looking for preopens at the first descriptor that is
		// none. An unnamed one it skips.
		p.fds.entries[fd].preopened = true
	}
	return nil
}

func (h Inherited) descriptor() descriptor {
	d := descriptor{file: h.File, base: h.base, inheriting: h.inheriting, beneath: true}
	if !h.handed {
		d.base = h.File.rights
	}
	return d
}
