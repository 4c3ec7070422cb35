package wasi_test

import (
	"encoding/binary"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/wasi"
)

// newTerminal returns a terminal, and the other ends of what is typed and printed.
func newTerminal(interactive bool) (*wasi.Terminal, *wasi.PipeWriter, *wasi.PipeReader) {
	in, keys := wasi.NewPipe(0)
	screen, out := wasi.NewPipe(0)
	return wasi.NewTerminal(in, out, interactive, nil), keys, screen
}

type terminalState struct {
	rows, cols uint16
	modes      wasi.Modes
}

// terminal calls the function of that name.
func (g *guest) terminal(fd uint32) (s terminalState, e errno.Errno) {
	at := g.room(8)
	e = g.call(wasi.Proc+".terminal", uint64(fd), at)
	le := binary.LittleEndian
	return terminalState{le.Uint16(g.mem[at:]), le.Uint16(g.mem[at+2:]), wasi.Modes(le.Uint32(g.mem[at+4:]))}, e
}

func (g *guest) setTerminal(fd, what uint32, s terminalState) errno.Errno {
	at := g.room(8)
	le := binary.LittleEndian
	le.PutUint16(g.mem[at:], s.rows)
	le.PutUint16(g.mem[at+2:], s.cols)
	le.PutUint32(g.mem[at+4:], uint32(s.modes))
	return g.call(wasi.Proc+".set_terminal", uint64(fd), uint64(what), at)
}

// One read returns one line of several that were typed ahead, or as much of it as there is room
// for. Once lines are not edited any longer, it returns all there is.
func TestTerminalLines(t *testing.T) {
	terminal, keys, _ := newTerminal(true)
	g := start(t, wasi.Config{Files: tree(t), Stdin: terminal.Input(), Stdout: terminal.Output()})
	keys.Write([]byte("one\n\nthree, which is long\nfour\nfive\n"))
	for _, want := range []string{"one\n", "\n", "three, w", "hich is ", "long\n", "four\n"} {
		if got, e := g.read(0, 8); got != want || e != 0 {
			t.Fatalf("got %q, %v, want %q", got, e, want)
		}
	}
	keys.Write([]byte("one\nsix\n"))
	first, second, result := g.room(5), g.room(8), g.room(4)
	iovs, count := g.vector(first, 5, second, 8) // the line fits the first
	if e := g.call("fd_read", 0, iovs, count, result); e != 0 || g.u32(result) != 5 {
		t.Errorf("in two pieces: got %d bytes, %v, want those of five", g.u32(result), e)
	}
	g.setTerminal(0, 2, terminalState{modes: wasi.SaneModes &^ wasi.Canonical})
	if got, e := g.read(0, 64); got != "one\nsix\n" || e != 0 {
		t.Errorf("not canonical: got %q, %v", got, e)
	}
}

func TestTerminalState(t *testing.T) {
	terminal, _, _ := newTerminal(true)
	terminal.Resize(wasi.Size{Rows: 50, Cols: 200})
	g := start(t, wasi.Config{Files: tree(t), Stdin: terminal.Input(), Stdout: terminal.Output()})
	begin := terminalState{50, 200, wasi.SaneModes}
	for fd := range uint32(2) {
		if got, e := g.terminal(fd); got != begin || e != 0 {
			t.Errorf("descriptor %d: got %v, %v, want %v", fd, got, e, begin)
		}
	}
	r, _ := g.pipe(0)
	null := g.open(g.preopen("/"), "dev/null", 0, readOnly, 0)
	for _, fd := range []uint32{2, 3, r, null} {
		if _, e := g.terminal(fd); e != errno.NOTTY {
			t.Errorf("descriptor %d, which is none: got %v, want %v", fd, e, errno.NOTTY)
		}
	}
	if _, e := g.terminal(99); e != errno.BADF {
		t.Errorf("no descriptor: got %v, want %v", e, errno.BADF)
	}
	for _, test := range []struct {
		what uint32
		set  terminalState
		want errno.Errno
		then terminalState
	}{
		{2, terminalState{1, 1, wasi.Echo}, 0, terminalState{50, 200, wasi.Echo}},
		{1, terminalState{24, 80, 0}, 0, terminalState{24, 80, wasi.Echo}},
		{3, terminalState{0, 0, wasi.Signals}, 0, terminalState{0, 0, wasi.Signals}},
		{3, terminalState{1, 1, 1 << 31}, errno.INVAL, terminalState{0, 0, wasi.Signals}},
		{4, terminalState{1, 1, 0}, errno.INVAL, terminalState{0, 0, wasi.Signals}},
		{0, terminalState{1, 1, 1 << 31}, 0, terminalState{0, 0, wasi.Signals}},
	} {
		if e := g.setTerminal(1, test.what, test.set); e != test.want {
			t.Errorf("set %d, %v: got %v, want %v", test.what, test.set, e, test.want)
		}
		if got, _ := g.terminal(0); got != test.then {
			t.Errorf("set %d, %v: got %v, want %v", test.what, test.set, got, test.then)
		}
	}
	for _, name := range []string{"terminal", "resizes"} {
		if e := g.call(wasi.Proc+"."+name, 0, uint64(len(g.mem)-3)); e != errno.FAULT {
			t.Errorf("%s beyond memory: got %v, want %v", name, e, errno.FAULT)
		}
	}
	if e := g.call(wasi.Proc+".set_terminal", 0, 0, uint64(len(g.mem)-7)); e != errno.FAULT {
		t.Errorf("set_terminal beyond memory: got %v, want %v", e, errno.FAULT)
	}
}

// Each descriptor is told once of all changes of size since it was asked.
func TestResizes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		terminal, _, _ := newTerminal(true)
		terminal.Resize(wasi.Size{Rows: 1, Cols: 1})
		g := start(t, wasi.Config{Stdin: terminal.Input(), Stdout: terminal.Output()})
		resizes := func() uint32 {
			at := g.room(4)
			g.must(wasi.Proc+".resizes", 1, at)
			const nonblock = 4
			g.must("fd_fdstat_set_flags", uint64(g.u32(at)), nonblock)
			return g.u32(at)
		}
		a, b := resizes(), resizes()
		if _, e := g.read(a, 8); e != errno.AGAIN {
			t.Errorf("before there is one: got %v, want %v", e, errno.AGAIN)
		}
		done := make(chan struct{})
		go func() { // ends with the change
			defer close(done)
			events, err := g.poll(readSub(7, a))
			if want := []event{{7, 0, 1, 1, false}}; err != nil || !slices.Equal(events, want) {
				t.Errorf("got %v, %v, want %v", events, err, want)
			}
		}()
		synctest.Wait()
		terminal.Resize(wasi.Size{Rows: 1, Cols: 1}) // which is none
		synctest.Wait()
		select {
		case <-done:
			t.Error("told of a size that is the same")
		default:
		}
		terminal.Resize(wasi.Size{Rows: 2, Cols: 2})
		<-done
		terminal.Resize(wasi.Size{Rows: 3, Cols: 3})
		for _, fd := range []uint32{a, b} {
			if got, e := g.read(fd, 8); got != "\x1c" || e != 0 {
				t.Errorf("got %q, %v, want a byte for both", got, e)
			}
			if _, e := g.read(fd, 8); e != errno.AGAIN {
				t.Errorf("a second time: got %v, want %v", e, errno.AGAIN)
			}
		}
		if _, e := g.write(a, "x"); e != errno.BADF {
			t.Errorf("write: got %v, want %v", e, errno.BADF)
		}
	})
}

// A carriage return comes before each line feed while that mode is set, also
// where a pipe turns over and where it is full.
func TestNewlines(t *testing.T) {
	terminal, _, screen := newTerminal(true)
	g := start(t, wasi.Config{Stdin: terminal.Input(), Stdout: terminal.Output()})
	got := make(chan string)
	go func() { // ends with the guest's descriptors
		all, err := io.ReadAll(screen)
		if err != nil {
			t.Error(err)
		}
		got <- string(all)
	}()
	lines := strings.Repeat("\n", 100_000) + strings.Repeat("ab\n", 100_000)
	for rest := lines; len(rest) > 0; {
		n, e := g.write(1, rest[:min(len(rest), 10_000)])
		if e != 0 {
			t.Fatal(e)
		}
		rest = rest[n:]
	}
	g.setTerminal(1, 2, terminalState{modes: wasi.SaneModes &^ wasi.Newlines})
	g.write(1, "a\nb\n")
	g.setTerminal(1, 2, terminalState{modes: wasi.SaneModes})
	g.write(1, "c\n")
	g.must("fd_close", 1)
	want := strings.ReplaceAll(lines, "\n", "\r\n") + "a\nb\nc\r\n"
	if got := <-got; got != want {
		t.Errorf("got %d bytes that end in %q, want %d", len(got), got[max(0, len(got)-20):], len(want))
	}
}

// /dev/tty is the terminal of which a process has a descriptor, for reading and
// for writing, and is open until all are closed.
func TestDevTTY(t *testing.T) {
	terminal, keys, screen := newTerminal(true)
	g := start(t, wasi.Config{Files: tree(t), Stdout: terminal.Output(), Stdin: terminal.Input()})
	open := func(g *guest) (uint32, errno.Errno) {
		return g.tryOpen(g.preopen("/"), "dev/tty", 0, readOnly|rightWrite, 0)
	}
	fd, e := open(g)
	if e != 0 {
		t.Fatal(e)
	}
	if got, e := g.terminal(fd); got.modes != wasi.SaneModes || e != 0 {
		t.Errorf("got %v, %v, want the terminal", got, e)
	}
	g.must("fd_close", 0)
	g.must("fd_close", 1)
	keys.Write([]byte("abc"))
	if got, e := g.read(fd, 8); got != "abc" || e != 0 {
		t.Errorf("read: got %q, %v, want what was typed", got, e)
	}
	g.write(fd, "x\n")
	if got := make([]byte, 8); true {
		n, err := screen.Read(got)
		if string(got[:n]) != "x\r\n" || err != nil {
			t.Errorf("printed: got %q, %v", got[:n], err)
		}
	}
	g.must("fd_close", uint64(fd))
	if _, err := screen.Read(make([]byte, 8)); err != io.EOF {
		t.Errorf("after all is closed: got %v, want %v", err, io.EOF)
	}
	if _, e := open(g); e != errno.NXIO {
		t.Errorf("open it again: got %v, want %v", e, errno.NXIO)
	}

	quiet, _, _ := newTerminal(false)
	g = start(t, wasi.Config{Files: tree(t), Stdin: quiet.Input(), Stdout: quiet.Output()})
	if _, e := open(g); e != errno.NXIO {
		t.Errorf("where nobody types: got %v, want %v", e, errno.NXIO)
	}
}
