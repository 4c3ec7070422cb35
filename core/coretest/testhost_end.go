package coretest

import (
	"errors"
	"sync"

	"github.com/terrarium-dev/terrarium/core"
)

func testSignal(h *hostTest) {
	r := h.start(h.need(h.commands.Block))
	r.waitText("ready\n")
	if err := r.Signal("SIGTERM"); err != nil {
		h.Fatalf("Signal: %v", err)
	}
	if got, want := r.waitExit(), (core.ExitStatus{Signal: "SIGTERM"}); got != want {
		h.Errorf("got %v, want %v", got, want)
	}
	r.waitEnd()
}

func testKill(h *hostTest) {
	r := h.start(h.need(h.commands.Stubborn))
	r.waitText("ready\n")
	for _, name := range []string{"SIGTERM", "SIGKILL"} {
		if err := r.Signal(name); err != nil {
			h.Fatalf("Signal(%q): %v", name, err)
		}
	}
	if got, want := r.waitExit(), (core.ExitStatus{Signal: "SIGKILL"}); got != want {
		h.Errorf("got %v, want %v", got, want)
	}
	r.waitEnd()
}

// testSignalTree: the output ends only if the child has died as well.
func testSignalTree(h *hostTest) {
	r := h.start(h.need(h.commands.Tree))
	r.waitText("ready\n")
	if err := r.Signal("SIGTERM"); err != nil {
		h.Fatalf("Signal: %v", err)
	}
	r.waitExit()
	r.waitEnd()
}

func testSignalAfterExit(h *hostTest) {
	r := h.start(needWith(h, h.commands.Exit, 3))
	r.waitExit()
	r.waitEnd()
	for _, name := range []string{"SIGTERM", "SIGCONT", "SIGKILL"} {
		if err := r.Signal(name); err != nil {
			h.Errorf("Signal(%q): got %v, want nil", name, err)
		}
	}
	if got, want := r.waitExit(), (core.ExitStatus{ExitCode: 3}); got != want {
		h.Errorf("got %v, want %v", got, want)
	}
}

func testUnknownSignal(h *hostTest) {
	r := h.start(h.need(h.commands.Block))
	for _, name := range []string{"", "TERM", "SIG", "SIG0", "SIG-9", "SIG999", "SIGNONE", "sigterm"} {
		if err := r.Signal(name); !errors.Is(err, errors.ErrUnsupported) {
			h.Errorf("Signal(%q): got %v, want %v", name, err, errors.ErrUnsupported)
		}
	}
}

func testClose(h *hostTest) {
	r := h.start(interactive(h.need(h.commands.Stubborn)))
	r.waitText("ready")
	h.finish("Close", func() {
		if err := r.Close(); err != nil {
			h.Errorf("Close: %v", err)
		}
	})
	r.waitEnd()
	h.wait(r.exited, "Wait")

	_, writeErr := r.Write([]byte("x"))
	_, waitErr := r.Wait()
	for _, call := range []struct {
		name string
		err  error
	}{
		{"Write", writeErr},
		{"CloseInput", r.CloseInput()},
		{"Resize", r.Resize(24, 80)},
		{"Signal", r.Signal("SIGTERM")},
		{"Wait", waitErr},
	} {
		if call.err == nil {
			h.Errorf("%s after Close: got nil, want an error", call.name)
		}
	}
	if err := r.Close(); err != nil {
		h.Errorf("second Close: got %v, want nil", err)
	}
}

// testCloseOrphan: Close ends the output that a child holds open.
func testCloseOrphan(h *hostTest) {
	r := h.start(h.need(h.commands.Orphan))
	r.waitExit()
	h.finish("Close", func() { r.Close() })
	r.waitEnd()
}

func testCloseBeforeOutput(h *hostTest) {
	p := h.startOnly(h.need(h.commands.Block))
	h.finish("Close", func() { p.Close() })
	h.finish("Output", func() {
		if err := p.Output(func(uint8, []byte) {}); err != nil {
			h.Errorf("Output after Close: got %v, want nil", err)
		}
	})
}

// testCloseStuckSink: Close does not wait for a sink, which may wait for what
// the caller of Close holds.
func testCloseStuckSink(h *hostTest) {
	p := h.startOnly(h.need(h.commands.Flood))
	stuck, resume, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() { // ends by Close
		var once sync.Once
		p.Output(func(uint8, []byte) {
			once.Do(func() {
				close(stuck)
				<-resume
			})
		})
		close(ended)
	}()
	h.wait(stuck, "output")
	h.finish("Close", func() { p.Close() })
	close(resume)
	h.wait(ended, "the end of output")
}

// testHammer calls everything at once, most of all for the race detector.
func testHammer(h *hostTest) {
	p := h.startOnly(interactive(h.need(h.commands.Tree)))
	var wg sync.WaitGroup
	ready := make(chan struct{})
	wg.Go(func() {
		var once sync.Once
		p.Output(func(uint8, []byte) { once.Do(func() { close(ready) }) })
	})
	calls := []func(i int){
		func(i int) { p.Write([]byte("x\n")) },
		func(i int) { p.Resize(1+i%50, 1+i%200) },
		func(i int) { p.Signal("SIGCONT") },
	}
	for range 2 {
		for _, call := range calls {
			wg.Go(func() {
				for i := range 100 {
					call(i)
				}
			})
		}
		wg.Go(func() { p.Wait() })
	}
	h.wait(ready, "output")
	for range 2 {
		wg.Go(func() { p.Close() })
	}
	h.finish("everything", wg.Wait)
}
