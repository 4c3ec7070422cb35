package coretest

import (
	"runtime"
	"strings"
	"time"

	"github.com/terrarium-dev/terrarium/core"
)

// testInputClosed: a command that nobody types to sees the end of its input.
func testInputClosed(h *hostTest) {
	r := h.start(h.need(h.commands.Cat))
	if got := r.waitExit(); got != (core.ExitStatus{}) {
		h.Errorf("got %v, want exit 0", got)
	}
	if got := r.waitEnd(); got != "" {
		h.Errorf("got output %q, want none", got)
	}
	if n, err := r.Write([]byte("x")); n != 0 || err == nil {
		h.Errorf("Write: got %d, %v, want 0 and an error", n, err)
	}
}

func testInput(h *hostTest) {
	r := h.start(interactive(h.need(h.commands.Cat)))
	if n, err := r.Write([]byte("hello\n")); n != 6 || err != nil {
		h.Fatalf("Write: got %d, %v, want 6, nil", n, err)
	}
	r.waitText("hello")
	if err := r.CloseInput(); err != nil {
		h.Fatalf("CloseInput: %v", err)
	}
	if got := r.waitExit(); got != (core.ExitStatus{}) {
		h.Errorf("got %v, want exit 0", got)
	}
	got := r.waitEnd()
	if h.pty {
		return // the terminal has echoed it besides
	}
	if got != "hello\n" {
		h.Errorf("got output %q, want %q", got, "hello\n")
	}
	if n, err := r.Write([]byte("x")); n != 0 || err == nil {
		h.Errorf("Write after CloseInput: got %d, %v, want 0 and an error", n, err)
	}
}

// testLargeInput: more than any pipe holds goes in while as much comes out.
func testLargeInput(h *hostTest) {
	in := strings.Repeat("0123456789abcdef", 1<<16)
	r := h.start(interactive(h.need(h.commands.Cat)))
	h.finish("Write", func() {
		if n, err := r.Write([]byte(in)); n != len(in) || err != nil {
			h.Errorf("Write: got %d, %v, want %d, nil", n, err, len(in))
		}
		if err := r.CloseInput(); err != nil {
			h.Errorf("CloseInput: %v", err)
		}
	})
	if got := r.waitEnd(); got != in {
		h.Errorf("got %d bytes of output that differ from the %d of input", len(got), len(in))
	}
}

// testBlockedInput: Close ends a Write that nobody reads.
func testBlockedInput(h *hostTest) {
	r := h.start(interactive(h.need(h.commands.Block)))
	r.waitText("ready")
	started, done := make(chan struct{}), make(chan struct{})
	go func() { // ends by Close
		defer close(done)
		line := []byte(strings.Repeat("x", 79) + "\n")
		for i := 0; ; i++ {
			n, err := r.Write(line)
			if err == nil && n == len(line) {
				if i == 0 {
					close(started)
				}
				runtime.Gosched() // on js nobody else runs otherwise
				continue
			}
			if err == nil || n == len(line) {
				h.Errorf("Write: got %d, %v, want less than %d and an error", n, err, len(line))
			}
			return
		}
	}()
	h.wait(started, "the first Write")
	h.finish("Close", func() { r.Close() })
	h.wait(done, "the blocked Write")
}

// A reader is a driver.Process that can tell whether its command waits for
// somebody to type.
type reader interface{ Reading() (reading, known bool) }

// testAwaitedInput: a command that reads its terminal is seen to wait for what
// is typed, and one that does something else is not.
func testAwaitedInput(h *hostTest) {
	r := h.start(interactive(h.need(h.commands.Cat)))
	p, ok := r.Process.(reader)
	if !ok {
		h.Skip("the host can't tell")
	}
	for _, line := range []string{"one", "two", "three"} {
		h.waitReading(p)
		if n, err := r.Write([]byte(line + "\n")); n != len(line)+1 || err != nil {
			h.Fatalf("Write: got %d, %v, want %d, nil", n, err, len(line)+1)
		}
		r.waitText(line + "\r\n" + line) // the terminal's, and the command's
	}
	h.waitReading(p)

	r = h.start(interactive(h.need(h.commands.Block)))
	r.waitText("ready")
	p = r.Process.(reader)
	for range 20 {
		if reading, _ := p.Reading(); reading {
			h.Fatal("a command that does not read is said to")
		}
		if _, err := r.Write([]byte("x\n")); err != nil {
			h.Fatal(err)
		}
	}
}

// waitReading waits until p's command waits for somebody to type.
func (h *hostTest) waitReading(p reader) {
	h.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for late := time.Now().Add(hostPatience); time.Now().Before(late); <-tick.C {
		reading, known := p.Reading()
		if !known {
			h.Skip("the system does not tell what a process waits for")
		}
		if reading {
			return
		}
	}
	h.Fatalf("after %v: the command is not seen to wait for what is typed", hostPatience)
}

func testResize(h *hostTest) {
	r := h.start(interactive(h.need(h.commands.Size)))
	ask := func(want string) {
		h.Helper()
		if _, err := r.Write([]byte("\n")); err != nil {
			h.Fatalf("Write: %v", err)
		}
		r.waitText(want)
	}
	ask("24 80")
	if err := r.Resize(50, 132); err != nil {
		h.Fatalf("Resize: %v", err)
	}
	ask("50 132")
}

func testResizeIgnored(h *hostTest) {
	r := h.start(h.need(h.commands.Block))
	if err := r.Resize(50, 132); err != nil {
		h.Errorf("Resize on pipes: got %v, want nil", err)
	}
}
