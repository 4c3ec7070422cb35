package hostwasm_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
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
			p := launch(t, h, core.Command{Command: "guest", Args: []string{"cat"}, Pty: true, Interactive: true})
			screen := make(chan string, 1<<10)
			read := make(chan struct{})
			go func() { // ends with the command, or with Close
				defer close(read)
				defer close(screen)
				p.Output(func(_ uint8, b []byte) { screen <- string(b) })
			}()
			defer func() {
				p.Close()
				<-read
			}()
			for _, s := range test.steps {
				if _, err := p.Write([]byte(s.typed)); err != nil {
					t.Fatalf("type %q: %v", s.typed, err)
				}
				got, overdue := "", time.After(30*time.Second)
				for len(got) < len(s.want) {
					select {
					case b, ok := <-screen:
						if !ok {
							t.Fatalf("typed %.20q: got %.40q, want %.40q", s.typed, got, s.want)
						}
						got += b
					case <-overdue:
						t.Fatalf("typed %.20q: got %.40q and no more, want %.40q", s.typed, got, s.want)
					}
				}
				if got != s.want {
					t.Errorf("typed %.20q: got %.40q, want %.40q", s.typed, got, s.want)
				}
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

// What is typed never waits for a command that reads nothing: ^C comes through
// however much was typed before, and what there is no room for rings the bell.
func TestTypeAhead(t *testing.T) { onEachEngine(t, testTypeAhead) }

func testTypeAhead(t *testing.T, on backend) {
	checkLeaks(t)
	h := newHost(t, on, hostwasm.Config{})
	p := launch(t, h, core.Command{Command: "guest", Args: []string{"block"}, Pty: true, Interactive: true})
	defer p.Close()
	screen := make(chan string)
	go func() { // ends with the command
		var all strings.Builder
		p.Output(func(_ uint8, b []byte) { all.Write(b) })
		screen <- all.String()
	}()
	line := strings.Repeat("a", 4095) + "\r"
	for range 3 << 20 / len(line) {
		if _, err := p.Write([]byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := p.Write([]byte{'C' - '@'}); err != nil {
		t.Fatal(err)
	}
	if got := wait(t, p).Status; got != (core.ExitStatus{Signal: "SIGINT"}) {
		t.Errorf("got %v, want SIGINT", got)
	}
	if got := <-screen; !strings.Contains(got, "\a") {
		t.Errorf("got %d bytes on the screen, want the bell among them", len(got))
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
