package coretest

import (
	"strings"

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
