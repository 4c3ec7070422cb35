//go:build linux || darwin

package hostnative_test

import (
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostnative"
)

// Without a person, a command on a pty reads nothing from it, whatever name it
// tries, and does not wait for that. Its newlines are left alone.
func TestPtyNonInteractive(t *testing.T) {
	c := line(`test -t 0 || echo no input; test -t 1 && test -t 2 && echo output; stty size <&1
		try() { (eval "read x $1") 2>/dev/null || echo "no $1"; }
		echo written >/dev/stderr
		try "</dev/tty"; try "<&1"; try "<&2"
		setsid sh -c "read x </dev/tty" 2>/dev/null || echo none in a new session`)
	out, _ := run(t, newHost(t, hostnative.Config{}), onPty(c))
	if want := "no input\noutput\n24 80\nwritten\nno </dev/tty\nno <&1\nno <&2\nnone in a new session\n"; out != want {
		t.Errorf("got %q, want %q", out, want)
	}
}

// A command learns of its terminal's new size, also where that is not its
// controlling one.
func TestResizeSignals(t *testing.T) {
	h := newHost(t, hostnative.Config{})
	for _, mode := range []func(core.Command) core.Command{onPty, func(c core.Command) core.Command { return interactive(onPty(c)) }} {
		p := start(t, h, mode(line(`trap 'stty size <&1; exit' WINCH; sleep 1000 & echo ready; wait`)))
		w := watchOutput(p)
		w.wait(t, "ready")
		if err := p.Resize(30, 100); err != nil {
			t.Fatal(err)
		}
		w.wait(t, "30 100")
	}
}

func TestPtyInteractive(t *testing.T) {
	c := line(`test -t 0 && test -t 1 && test -t 2 && echo terminal; : </dev/tty && echo controlling`)
	out, _ := run(t, newHost(t, hostnative.Config{}), interactive(onPty(c)))
	if want := "terminal\r\ncontrolling\r\n"; out != want {
		t.Errorf("got %q, want %q", out, want)
	}
}

// The command's process group is the terminal's foreground one: what a
// person types reaches it as a signal.
func TestPtyInterrupt(t *testing.T) {
	p := start(t, newHost(t, hostnative.Config{}), interactive(onPty(line(`echo ready; exec sleep 1000`))))
	w := watchOutput(p)
	w.wait(t, "ready")
	if _, err := p.Write([]byte("\x03")); err != nil {
		t.Fatal(err)
	}
	if got, want := waitExit(t, p).Status, (core.ExitStatus{Signal: "SIGINT"}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

// End of file ends the input, also after text without a newline, where a
// person would type it twice. Once more is typed for nobody: the next reader
// is not told twice.
func TestPtyCloseInput(t *testing.T) {
	for _, test := range []struct{ modes, input, want string }{
		{"", "", "done"},
		{"", "line\n", "line\r\ndone"},
		{"", "no newline", "no newlinedone"},
		{"", "a\x04b", "abdone"},
		{"", "a\x04", "adone"},
		{"", "return\r", "return\r\ndone"},
		{"-icrnl", "return\r", "return\rdone"},
		{"eof ^E", "no newline", "no newlinedone"}, // another character than ^D
		{"eol x", "ends in x", "ends in xdone"},
		{"-icanon", "a", "a\x04raw"}, // a key like any other
	} {
		c := line(`stty -echo $1; echo ready
			case $1 in -icanon) head -c 2; echo raw; exit;; esac
			cat; echo done; read x; echo "$x"`, test.modes)
		p := start(t, newHost(t, hostnative.Config{}), interactive(onPty(c)))
		w := watchOutput(p)
		w.wait(t, "ready\r\n")
		if _, err := p.Write([]byte(test.input)); err != nil {
			t.Fatal(err)
		}
		if err := p.CloseInput(); err != nil {
			t.Fatal(err)
		}
		w.wait(t, "ready\r\n"+test.want+"\r\n")
		if strings.HasPrefix(test.modes, "-icanon") {
			continue
		}
		if _, err := p.Write([]byte("next\n")); err != nil {
			t.Fatal(err)
		}
		w.wait(t, "\nnext\r")
	}
}

func TestPtyResizeSignals(t *testing.T) {
	c := line(`trap 'stty size; exit' WINCH; echo ready; while :; do sleep 0.01; done`)
	p := start(t, newHost(t, hostnative.Config{}), interactive(onPty(c)))
	w := watchOutput(p)
	w.wait(t, "ready")
	if err := p.Resize(0, 80); err == nil {
		t.Error("Resize(0, 80): got nil, want an error")
	}
	if err := p.Resize(core.MaxSize, 1); err != nil {
		t.Fatal(err)
	}
	w.wait(t, "1000 1")
}

// What is written just before the last process ends is not lost. Linux may
// report that end first, though rarely: for up to 5 in 4,000 such commands.
func TestPtyTail(t *testing.T) {
	h := newHost(t, hostnative.Config{})
	c := onPty(line(`for i in 1 2 3 4 5 6 7 8 9; do echo $i; done`))
	for range 100 {
		if out, _ := run(t, h, c); out != "1\n2\n3\n4\n5\n6\n7\n8\n9\n" {
			t.Fatalf("got %q, want 1 to 9", out)
		}
	}
}

// What is written to a pty in raw mode arrives whole, however slowly it is read.
func TestPtyLargeInput(t *testing.T) {
	const size = 256 << 10
	c := line(`stty raw -echo; echo ready; head -c 262144 | wc -c`)
	p := start(t, newHost(t, hostnative.Config{}), interactive(onPty(c)))
	w := watchOutput(p)
	w.wait(t, "ready")
	if n, err := p.Write(make([]byte, size)); n != size || err != nil {
		t.Fatalf("Write: got %d, %v, want %d, nil", n, err, size)
	}
	w.wait(t, "262144")
}
