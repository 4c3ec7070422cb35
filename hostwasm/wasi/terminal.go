package wasi

import (
	"sync"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// Modes are what a terminal does with what is typed and printed, as termios
// names it. Their bits are those of ABI.md.
type Modes uint32

const (
	// Canonical is ICANON: what is typed is edited, and read by lines.
	Canonical Modes = 1 << iota
	// Echo is ECHO: what is typed is shown.
	Echo
	// Signals is ISIG: ^C interrupts, ^\ quits.
	Signals
	// Returns is ICRNL: a carriage return that is typed is a line feed.
	Returns
	// Newlines is OPOST with ONLCR: before each line feed that is printed comes
	// a carriage return.
	Newlines

	allModes = 1<<iota - 1

	// SaneModes are those that an interactive terminal begins with.
	SaneModes = allModes
)

// A Terminal is a terminal as guests know it: what they read and write, its size
// and its modes. It is safe for concurrent use.
type Terminal struct {
	in, out  *pipe
	opens    bool // it can be opened as /dev/tty: somebody types there
	changing func(Modes)

	mu               sync.Mutex // guards the fields below
	size             Size
	sized            uint64 // how often the size was set
	modes            Modes
	readers, writers int // descriptions of it that are open
	waiting          watchers
}

// A Size is that of a terminal, in cells. 0 is unknown.
type Size struct{ Rows, Cols uint16 }

// NewTerminal returns a terminal whose guests read in and write out, which are
// closed with their last descriptors. Somebody types at an interactive one.
// changing is called when a guest has changed the modes; it may be nil.
func NewTerminal(in *PipeReader, out *PipeWriter, interactive bool, changing func(Modes)) *Terminal {
	t := &Terminal{in: in.pipe, out: out.pipe, opens: interactive, changing: changing, modes: SaneModes}
	if !interactive {
		t.modes &^= Newlines
	}
	t.out.setNewlines(t.modes&Newlines != 0)
	return t
}

// Input is what guests read, for [Config].Stdin. isatty is true.
func (t *Terminal) Input() *OpenFile { return t.end(true, false) }

// Output is what guests write, for [Config].Stdout and Stderr. What is written
// counts as output: [Limits].Output.
func (t *Terminal) Output() *OpenFile { return t.end(false, true) }

func (t *Terminal) end(reads, writes bool) *OpenFile {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := streamRights
	if reads {
		t.readers++
		r |= rightFDRead
	}
	if writes {
		t.writers++
		r |= rightFDWrite
	}
	return &OpenFile{stream: terminalEnd{t, reads, writes}, rights: r, output: writes, typ: vfs.CharacterDevice}
}

// Modes returns the modes.
func (t *Terminal) Modes() Modes {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.modes
}

// Resize sets the size, and tells guests of it that have asked to be told.
func (t *Terminal) Resize(s Size) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s == t.size {
		return
	}
	t.size = s
	t.sized++
	t.waiting.wake()
}

func (t *Terminal) setModes(m Modes) {
	t.mu.Lock()
	t.modes = m
	t.out.setNewlines(m&Newlines != 0)
	t.mu.Unlock()
	if t.changing != nil {
		t.changing(m)
	}
}

func (t *Terminal) state() (Size, Modes) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.size, t.modes
}

// A terminalEnd is the stream of an open terminal.
type terminalEnd struct {
	*Terminal
	reads, writes bool
}

func (e terminalEnd) read(b []byte) (int, error) {
	if !e.reads {
		return 0, errno.BADF
	}
	if e.Modes()&Canonical != 0 {
		return e.in.readLine(b) // POSIX.1-2024, XBD 11.1.6
	}
	return e.in.read(b)
}

func (e terminalEnd) write(b []byte) (int, error) {
	if !e.writes {
		return 0, errno.BADF
	}
	return e.out.write(b)
}

// readiness says that what can't be done fails at once.
func (e terminalEnd) readiness(write bool) readiness {
	switch {
	case write && e.writes:
		return e.out.readiness(true)
	case !write && e.reads:
		return e.in.readiness(false)
	}
	return readiness{ready: true}
}

func (e terminalEnd) watch(w waker) {
	if e.reads {
		e.in.watch(w)
	}
	if e.writes {
		e.out.watch(w)
	}
}

func (e terminalEnd) unwatch(w waker) {
	if e.reads {
		e.in.unwatch(w)
	}
	if e.writes {
		e.out.unwatch(w)
	}
}

func (e terminalEnd) close() {
	t := e.Terminal
	t.mu.Lock()
	defer t.mu.Unlock()
	if e.reads {
		if t.readers--; t.readers == 0 {
			t.in.closeReader()
		}
	}
	if e.writes {
		if t.writers--; t.writers == 0 {
			t.out.closeWriter()
		}
	}
}

// keyboard returns the pipe in which a stream finds what is typed, or what else
// is written to the end that it reads.
func keyboard(s stream) (readEnd, bool) {
	switch s := s.(type) {
	case readEnd:
		return s, true
	case terminalEnd:
		return readEnd{s.in}, s.reads
	}
	return readEnd{}, false
}

// terminalOf returns the terminal that a descriptor is of.
func (p *Process) terminalOf(fd uint32) (*Terminal, error) {
	d, err := p.fds.get(fd)
	if err != nil {
		return nil, err
	}
	e, ok := d.file.stream.(terminalEnd)
	if !ok {
		return nil, errno.NOTTY
	}
	return e.Terminal, nil
}

// openTerminal opens /dev/tty: the terminal that the process has a descriptor of.
// Who was given none has none.
func (p *Process) openTerminal(o opening) (descriptor, error) {
	for i := range p.fds.entries {
		f := p.fds.entries[i].file
		if f == nil {
			continue
		}
		e, ok := f.stream.(terminalEnd)
		if !ok || !e.opens || e.finished() {
			continue
		}
		file := e.end(true, true)
		return descriptor{file: file, base: o.base & file.rights, nonblock: o.flags&flagNonblock != 0}, nil
	}
	return descriptor{}, errno.NXIO
}

// finished reports whether a side of the terminal was closed, since all have let
// go of it.
func (t *Terminal) finished() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.readers == 0 || t.writers == 0
}
