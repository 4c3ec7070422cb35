package hostwasm_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/hostwasm"
)

// What a person types at an interactive terminal is echoed and edited, and
// reaches the command, which is cat, by lines.
func TestLineDiscipline(t *testing.T) { onEachEngine(t, testLineDiscipline) }

func testLineDiscipline(t *testing.T, on backend) {
	checkLeaks(t)
	h := newHost(t, on, hostwasm.Config{})
	a := strings.Repeat("a", 4095)
	const erased = "\b \b"
	type step struct{ typed, want string }
	for _, test := range []struct {
		name  string
		steps []step
		end   core.ExitStatus // after the last step, or else it waits for more
		ends  bool
	}{
		{name: "line", steps: []step{{"abc", "abc"}, {"\r", "\r\nabc\r\n"}}},
		{name: "line feed", steps: []step{{"abc\n", "abc\r\nabc\r\n"}, {"\n", "\r\n\r\n"}}},
		{name: "erase", steps: []step{{"ab\x7fc\r", "ab" + erased + "c\r\nac\r\n"}}},
		{name: "backspace", steps: []step{{"ab\bc\r", "ab" + erased + "c\r\nac\r\n"}}},
		{name: "erase too much", steps: []step{{"a\x7f\x7f\x7fb\r", "a" + erased + "b\r\nb\r\n"}}},
		{name: "erase a character of two bytes", steps: []step{{"é\x7fb\r", "é" + erased + "b\r\nb\r\n"}}},
		{name: "erase what is no character", steps: []step{{"\xc3\x7fb\r", "\xc3" + erased + "b\r\nb\r\n"}}},
		{name: "kill", steps: []step{{"ab c\x15d\r", "ab c" + strings.Repeat(erased, 4) + "d\r\nd\r\n"}}},
		{name: "word erase", steps: []step{{"ab cd  \x17e\r", "ab cd  " + strings.Repeat(erased, 4) + "e\r\nab e\r\n"}}},
		{name: "word erase of the first word", steps: []step{{"ab\x17\x17c\r", "ab" + erased + erased + "c\r\nc\r\n"}}},
		{name: "control characters", steps: []step{{"\x01\x1b\t\r", "^A^[\t\r\n\x01\x1b\t\r\n"}}},
		{name: "erase a control character", steps: []step{{"\x01\x7fb\r", "^A" + erased + erased + "b\r\nb\r\n"}}},
		{name: "long line", steps: []step{{a + "bcd", a}, {"\x7f", erased}, {"z\r", "z\r\n" + a[1:] + "z\r\n"}}},
		{name: "end of file with text", steps: []step{{"ab\x04", "abab"}, {"c\r", "c\r\nc\r\n"}}},
		{name: "end of file", steps: []step{{"a\r", "a\r\na\r\n"}, {"\x04", ""}}, ends: true},
		{name: "interrupt", steps: []step{{"ab\x03", "ab^C"}}, ends: true, end: core.ExitStatus{Signal: "SIGINT"}},
		{name: "quit", steps: []step{{"ab\x1c", `ab^\`}}, ends: true, end: core.ExitStatus{Signal: "SIGQUIT"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, screen := launchAtTerminal(t, h, "cat")
			for _, s := range test.steps {
				if _, err := p.Write([]byte(s.typed)); err != nil {
					t.Fatalf("type %q: %v", s.typed, err)
				}
				screen.await(s.want)
			}
			if !test.ends {
				return
			}
			if got := wait(t, p).Status; got != test.end {
				t.Errorf("got %v, want %v", got, test.end)
			}
		})
	}
}

// A command that asks for interrupts is told of ^C, and is not ended by it, until
// it asks no longer.
func TestInterrupts(t *testing.T) { onEachEngine(t, testInterrupts) }

func testInterrupts(t *testing.T, on backend) {
	checkLeaks(t)
	p, screen := launchAtTerminal(t, newHost(t, on, hostwasm.Config{}), "interrupts", "2")
	screen.await("ready\r\n")
	p.Write([]byte("ab\x03"))
	screen.await("ab^Cinterrupted\r\n")
	p.Write([]byte("\x03"))
	screen.await("^Cinterrupted\r\ndone\r\n")
	p.Write([]byte("\x03"))
	if got := wait(t, p).Status; got != (core.ExitStatus{Signal: "SIGINT"}) {
		t.Errorf("got %v, want SIGINT", got)
	}
}

// One that does not answer is ended by the next ^C that comes a second later.
func TestUnansweredInterrupt(t *testing.T) { onEachEngine(t, testUnansweredInterrupt) }

func testUnansweredInterrupt(t *testing.T, on backend) {
	checkLeaks(t)
	p, screen := launchAtTerminal(t, newHost(t, on, hostwasm.Config{}), "deaf")
	screen.await("ready\r\n")
	began := time.Now()
	done := make(chan core.Exit)
	go func() { done <- wait(t, p) }() // ends with the command
	for {
		p.Write([]byte("\x03"))
		select {
		case exit := <-done:
			if exit.Status != (core.ExitStatus{Signal: "SIGINT"}) {
				t.Errorf("got %v, want SIGINT", exit.Status)
			}
			if took := time.Since(began); took < time.Second {
				t.Errorf("it was ended after %v, want a second to answer", took)
			}
			return
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// One that answers, and goes on, is ended by ^\.
func TestInterruptedQuits(t *testing.T) { onEachEngine(t, testInterruptedQuits) }

func testInterruptedQuits(t *testing.T, on backend) {
	checkLeaks(t)
	p, screen := launchAtTerminal(t, newHost(t, on, hostwasm.Config{}), "interrupts", "100")
	screen.await("ready\r\n")
	p.Write([]byte("\x03"))
	screen.await("^Cinterrupted\r\n")
	p.Write([]byte("\x1c"))
	if got := wait(t, p).Status; got != (core.ExitStatus{Signal: "SIGQUIT"}) {
		t.Errorf("got %v, want SIGQUIT", got)
	}
}

// What is typed reaches a command as the modes have it that the command has set,
// and a command learns of each size that its terminal gets.
func TestTerminalModes(t *testing.T) { onEachEngine(t, testTerminalModes) }

func testTerminalModes(t *testing.T, on backend) {
	checkLeaks(t)
	h := newHost(t, on, hostwasm.Config{})
	const canonical, echo, signals, returns, newlines = 1, 2, 4, 8, 16
	type step struct {
		typed, want string
	}
	for _, test := range []struct {
		name  string
		modes int
		steps []step
		end   core.ExitStatus
	}{
		{"sane", canonical | echo | signals | returns | newlines, []step{{"ab\x7fc\r", "ab\b \bc\r\n\"ac\\n\" <nil>\r\n"}, {"q\r", "q\r\n\"q\\n\" <nil>\r\n"}}, core.ExitStatus{}},
		{"no echo", canonical | signals | returns | newlines, []step{{"secret\r", "\"secret\\n\" <nil>\r\n"}, {"\x03", ""}}, core.ExitStatus{Signal: "SIGINT"}},
		{"keys", returns | newlines, []step{{"a", "\"a\" <nil>\r\n"}, {"\r", "\"\\n\" <nil>\r\n"}, {"\x03", "\"\\x03\" <nil>\r\n"}, {"q", "\"q\" <nil>\r\n"}}, core.ExitStatus{}},
		{"raw", 0, []step{{"\r", "\"\\r\" <nil>\n"}, {"\x04", "\"\\x04\" <nil>\n"}, {"\x7f", "\"\\x7f\" <nil>\n"}, {"q", "\"q\" <nil>\n"}}, core.ExitStatus{}},
		{"keys that are shown", echo | signals | newlines, []step{{"\x1b", "^[\"\\x1b\" <nil>\r\n"}, {"\x1c", "^\\"}}, core.ExitStatus{Signal: "SIGQUIT"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, screen := launchAtTerminal(t, h, "terminal", fmt.Sprint(test.modes), "1")
			eol := "\n"
			if test.modes&newlines != 0 {
				eol = "\r\n"
			}
			screen.await(fmt.Sprintf("80x24 %d", test.modes) + eol)
			raw := p.(interface{ Raw() bool }).Raw()
			if want := test.modes&returns == 0; raw != want {
				t.Errorf("raw: got %v, want %v", raw, want)
			}
			if err := p.Resize(50, 200); err != nil {
				t.Error(err)
			}
			screen.await(fmt.Sprintf("200x50 %d", test.modes) + eol)
			for _, s := range test.steps {
				if _, err := p.Write([]byte(s.typed)); err != nil {
					t.Fatalf("type %q: %v", s.typed, err)
				}
				screen.await(s.want)
			}
			if got := wait(t, p).Status; got != test.end {
				t.Errorf("got %v, want %v", got, test.end)
			}
		})
	}
}

// A screen is what is printed at a terminal.
type screen struct {
	t     *testing.T
	bytes chan string
}

// await reads until want, and nothing else, was printed.
func (s screen) await(want string) {
	s.t.Helper()
	got, overdue := "", time.After(30*time.Second)
	for len(got) < len(want) {
		select {
		case b, ok := <-s.bytes:
			if !ok {
				s.t.Fatalf("got %.40q, want %.40q", got, want)
			}
			got += b
		case <-overdue:
			s.t.Fatalf("got %.40q and no more, want %.40q", got, want)
		}
	}
	if got != want {
		s.t.Errorf("got %.40q, want %.40q", got, want)
	}
}

// launchAtTerminal starts the guest's command at a terminal, until the test ends.
func launchAtTerminal(t *testing.T, h *hostwasm.Host, args ...string) (driver.Process, screen) {
	p := launch(t, h, core.Command{Command: "guest", Args: args, Pty: true, Interactive: true, Rows: 24, Cols: 80})
	s := screen{t: t, bytes: make(chan string, 1<<10)}
	read := make(chan struct{})
	go func() { // ends with the command, or with Close
		defer close(read)
		defer close(s.bytes)
		p.Output(func(_ uint8, b []byte) { s.bytes <- string(b) })
	}()
	t.Cleanup(func() {
		p.Close()
		<-read
	})
	return p, s
}

// What is typed never waits for a command that reads nothing: ^C comes through
// however much was typed before, and what there is no room for rings the bell.
func TestTypeAhead(t *testing.T) { onEachEngine(t, testTypeAhead) }

func testTypeAhead(t *testing.T, on backend) {
	if testing.Short() {
		t.Skip("it types a megabyte")
	}
	checkLeaks(t)
	h := newHost(t, on, hostwasm.Config{})
	p := launch(t, h, core.Command{Command: "guest", Args: []string{"block"}, Pty: true, Interactive: true})
	defer p.Close()
	pieces := make(chan string, 1<<10)
	go func() { // ends with the command
		defer close(pieces)
		p.Output(func(_ uint8, b []byte) { pieces <- string(b) })
	}()
	line := strings.Repeat("a", 4095) + "\r"
	var screen strings.Builder
	for typed := 0; typed < 5<<18; { // a quarter more than there is room for
		n, err := p.Write([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		// Of what is echoed 64 KiB wait for who reads the screen, and the rest is lost.
		for typed += n; screen.Len() < typed-(32<<10); {
			piece, ok := <-pieces
			if !ok {
				t.Fatalf("the screen has ended after %d bytes", screen.Len())
			}
			screen.WriteString(piece)
		}
	}
	if _, err := p.Write([]byte{'C' - '@'}); err != nil {
		t.Fatal(err)
	}
	for piece := range pieces {
		screen.WriteString(piece)
	}
	if got := wait(t, p).Status; got != (core.ExitStatus{Signal: "SIGINT"}) {
		t.Errorf("got %v, want SIGINT", got)
	}
	if !strings.Contains(screen.String(), "\a") {
		t.Errorf("got %d bytes on the screen, want the bell among them", screen.Len())
	}
}

// What was typed ahead is all there when it is read, and the end behind it.
func TestTypeAheadIsKept(t *testing.T) { onEachEngine(t, testTypeAheadIsKept) }

func testTypeAheadIsKept(t *testing.T, on backend) {
	checkLeaks(t)
	h := newHost(t, on, hostwasm.Config{})
	p := launch(t, h, core.Command{Command: "guest", Args: []string{"count"}, Pty: true, Interactive: true})
	defer p.Close()
	const lines = 200
	line := strings.Repeat("a", 4000) + "\r"
	for range lines {
		if _, err := p.Write([]byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := p.Write([]byte("rest")); err != nil {
		t.Fatal(err)
	}
	if err := p.CloseInput(); err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	if err := p.Output(func(_ uint8, b []byte) { all.Write(b) }); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("%d\r\n", lines*len(line)+len("rest"))
	if got := all.String(); !strings.Contains(got, want) {
		t.Errorf("got %d bytes that end in %q, want %q among them", len(got), got[max(0, len(got)-20):], want)
	}
}

// The end of the file that is typed ahead comes where it was typed.
func TestTypeAheadEnds(t *testing.T) { onEachEngine(t, testTypeAheadEnds) }

func testTypeAheadEnds(t *testing.T, on backend) {
	checkLeaks(t)
	h := newHost(t, on, hostwasm.Config{})
	p := launch(t, h, core.Command{Command: "guest", Args: []string{"count"}, Pty: true, Interactive: true})
	defer p.Close()
	const lines = 100
	line := strings.Repeat("a", 4000) + "\r"
	if _, err := p.Write([]byte(strings.Repeat(line, lines) + "\x04" + line)); err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	if err := p.Output(func(_ uint8, b []byte) { all.Write(b) }); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("%d\r\n", lines*len(line))
	if got := all.String(); !strings.Contains(got, want) {
		t.Errorf("got %d bytes that end in %q, want %q among them", len(got), got[max(0, len(got)-20):], want)
	}
}
