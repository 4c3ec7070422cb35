package tty

import (
	"fmt"
	"os"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/plugins/proc"
)

// terminal returns a new terminal, and the end that a person would sit at.
func terminal(t *testing.T) (f, person *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { person.Close() })
	number := 0
	err = control(person, func(fd int) error {
		if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
			return err
		}
		number, err = unix.IoctlGetInt(fd, unix.TIOCGPTN)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	f, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f, person
}

func TestModes(t *testing.T) {
	f, _ := terminal(t)
	all := proc.Canonical | proc.Echo | proc.Signals | proc.Returns | proc.Newlines
	before, err := Get(f)
	if err != nil || before.Modes != all {
		t.Fatalf("got %b, %v of a new terminal, want %b", before.Modes, err, all)
	}
	for mode := proc.TerminalModes(1); mode <= all; mode <<= 1 {
		for _, want := range []proc.TerminalModes{all &^ mode, mode & all, all} {
			if err := SetModes(f, want); err != nil {
				t.Fatal(err)
			}
			if got, _ := Get(f); got.Modes != want {
				t.Errorf("got %b, want %b", got.Modes, want)
			}
		}
	}
	restore, err := Change(f, proc.Canonical|proc.Echo, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := Get(f); got.Modes != all&^(proc.Canonical|proc.Echo) {
		t.Errorf("got %b while it is changed", got.Modes)
	}
	restore()
	if got, _ := Get(f); got.Modes != all {
		t.Errorf("got %b, want what was there before, %b", got.Modes, all)
	}
}

func TestSize(t *testing.T) {
	f, _ := terminal(t)
	if err := SetSize(f, 7, 33); err != nil {
		t.Fatal(err)
	}
	if got, err := Get(f); got.Rows != 7 || got.Cols != 33 || err != nil {
		t.Errorf("got %d by %d, %v, want 7 by 33", got.Rows, got.Cols, err)
	}
}

// A raw terminal hands on a key as it is pressed, without its line.
func TestRaw(t *testing.T) {
	f, person := terminal(t)
	if _, err := Change(f, proc.Canonical|proc.Echo, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := person.WriteString("k"); err != nil {
		t.Fatal(err)
	}
	key := make([]byte, 8)
	if n, err := f.Read(key); string(key[:n]) != "k" || err != nil {
		t.Errorf("got %q, %v, want k", key[:n], err)
	}
}

func TestNone(t *testing.T) {
	f, err := os.Create(t.TempDir() + "/f")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	terminal, _ := terminal(t)
	for _, c := range []struct {
		v    any
		want *os.File
	}{{nil, nil}, {f, nil}, {(*os.File)(nil), nil}, {"x", nil}, {terminal, terminal}} {
		if got := Of(c.v); got != c.want {
			t.Errorf("%v: got %v, want %v", c.v, got, c.want)
		}
	}
	if _, err := Get(f); err == nil {
		t.Error("got a terminal of a file")
	}
	if _, err := Change(f, proc.Echo, 0); err == nil {
		t.Error("got modes changed of a file")
	}
	if SetSize(f, 1, 1) == nil || SetModes(f, 0) == nil {
		t.Error("got a size and modes set of a file")
	}
}

func TestWatch(t *testing.T) {
	f, _ := terminal(t)
	changed := make(chan bool, 1)
	stop, err := Watch(f, func() {
		select {
		case changed <- true:
		default:
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	if err := syscall.Kill(os.Getpid(), syscall.SIGWINCH); err != nil {
		t.Fatal(err)
	}
	<-changed
}
