package coretest

import (
	"runtime"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
)

func testExitCode(h *hostTest) {
	for _, code := range []int{0, 1, 7, 137, 255} {
		r := h.start(needWith(h, h.commands.Exit, code))
		if got, want := r.waitExit(), (core.ExitStatus{ExitCode: uint32(code)}); got != want {
			h.Errorf("got %v, want %v", got, want)
		}
		if got := r.waitEnd(); got != "" {
			h.Errorf("got output %q, want none", got)
		}
	}
}

func testExitSignal(h *hostTest) {
	r := h.start(h.need(h.commands.SelfKill))
	if got, want := r.waitExit(), (core.ExitStatus{Signal: "SIGKILL"}); got != want {
		h.Errorf("got %v, want %v", got, want)
	}
}

// testExitWithoutOutput asks for the output only after the end, twice for the end.
func testExitWithoutOutput(h *hostTest) {
	p := h.startOnly(needWith(h, h.commands.Print, []string{"late"}))
	for range 2 {
		h.finish("Wait", func() {
			exit, err := p.Wait()
			if err != nil || exit.Status != (core.ExitStatus{}) {
				h.Errorf("got %v, %v, want exit 0, nil", exit.Status, err)
			}
		})
	}
	if pender, ok := p.(driver.Pender); ok && pender.OutputPending() < len("late\n") {
		h.Errorf("got %d bytes pending, want those that nobody has read", pender.OutputPending())
	}
	h.finish("Output", func() {
		var got []byte
		err := p.Output(func(_ uint8, b []byte) { got = append(got, b...) })
		if err != nil || string(got) != "late\n" {
			h.Errorf("got output %q, %v, want %q, nil", got, err, "late\n")
		}
	})
}

// testOrphan: an end of the command is not the end of output, which a child
// holds open, and signals still reach that child.
func testOrphan(h *hostTest) {
	r := h.start(h.need(h.commands.Orphan))
	if got := r.waitExit(); got != (core.ExitStatus{}) {
		h.Fatalf("got %v, want exit 0", got)
	}
	r.waitText("ready\n")
	select {
	case <-r.ended:
		h.Fatal("output ended with the command, not with its child")
	default:
	}
	if err := r.Signal("SIGKILL"); err != nil {
		h.Errorf("Signal: %v", err)
	}
	r.waitEnd()
}

func testStreams(h *hostTest) {
	r := h.start(h.need(h.commands.Streams))
	r.waitEnd()
	out, err := "out\n", "err\n"
	if h.pty {
		out, err = "out\nerr\n", "" // and no "\r": nobody sits there
	}
	if got := r.text(1); got != out {
		h.Errorf("stream 1: got %q, want %q", got, out)
	}
	if got := r.text(2); got != err {
		h.Errorf("stream 2: got %q, want %q", got, err)
	}
}

// testOneStream: what is written to both streams of one pipe keeps its order.
func testOneStream(h *hostTest) {
	c := h.need(h.commands.Streams)
	c.OneStream = true
	for range 20 { // two pipes would mostly keep it too
		r := h.start(c)
		r.waitEnd()
		if got, want := r.text(1), "out\nerr\n"; got != want {
			h.Fatalf("stream 1: got %q, want %q", got, want)
		}
	}
}

// testOutputComplete: what was written just before the end is not lost.
func testOutputComplete(h *hostTest) {
	for _, n := range []int{1, 4095, 4096, 65536, 100_000, 1 << 20} {
		r := h.start(needWith(h, h.commands.Zeros, n))
		if got := len(r.waitEnd()); got != n {
			h.Errorf("got %d bytes, want %d", got, n)
		}
	}
}

// testFlood: a sink that falls behind holds up its command, and nothing piles
// up in between; nor does it hold up other commands.
func testFlood(h *hostTest) {
	const (
		slow   = 100     // calls of the sink that take their time
		excess = 8 << 20 // bytes of heap: far less than is written meanwhile
	)
	other := needWith(h, h.commands.Exit, 0)
	p := h.startOnly(h.need(h.commands.Flood))

	before := heapInUse()
	first, resume, last := make(chan struct{}), make(chan struct{}), make(chan struct{})
	calls := 0
	ended := make(chan struct{})
	go func() { // ends by Close
		defer close(ended)
		err := p.Output(func(_ uint8, b []byte) {
			calls++
			switch {
			case calls == 1:
				close(first)
				<-resume
			case calls < slow:
				runtime.GC()
			case calls == slow:
				if now := heapInUse(); now > before+excess {
					h.Errorf("the heap has grown from %d to %d bytes", before, now)
				}
				close(last)
			}
			if len(b) == 0 || len(b) > 1<<20 {
				h.Errorf("got %d bytes at once", len(b))
			}
		})
		if err != nil {
			h.Errorf("Output: got %v, want nil", err)
		}
	}()
	h.wait(first, "output")
	h.start(other).waitExit()
	close(resume)
	h.wait(last, "more output")
	h.finish("Close", func() { p.Close() })
	h.wait(ended, "the end of output")
}

func heapInUse() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
