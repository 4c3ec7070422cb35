//go:build linux || darwin

package hostnative_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostnative"
)

// BenchmarkRun is one command from Resolve to Close: its output read to the
// end, its exit known, its zombie gone.
func BenchmarkRun(b *testing.B) {
	h := newHost(b, hostnative.Config{})
	for _, m := range modes {
		b.Run(m.name, func(b *testing.B) {
			b.ReportAllocs()
			c := m.mode(core.Command{Command: "true"})
			for b.Loop() {
				runOnce(b, h, c)
			}
		})
	}
}

func runOnce(b *testing.B, h *hostnative.Host, c core.Command) {
	e, err := h.Resolve(context.Background(), c)
	if err != nil {
		b.Fatal(err)
	}
	p, err := h.Start(context.Background(), e)
	if err != nil {
		b.Fatal(err)
	}
	if err := p.Output(func(uint8, []byte) {}); err != nil {
		b.Fatal(err)
	}
	if _, err := p.Wait(); err != nil {
		b.Fatal(err)
	}
	if err := p.Close(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkLimits is BenchmarkRun with limits that are far away, and right after each the
// same without: "x" is how many times the latter it takes, of the medians.
func BenchmarkLimits(b *testing.B) {
	const far = 1 << 40
	without := newHost(b, hostnative.Config{})
	c := core.Command{Command: "true"}
	for _, test := range []struct {
		name   string
		limits hostnative.Limits
	}{
		{"off", hostnative.Limits{}},
		{"output", hostnative.Limits{Wall: time.Hour, Idle: time.Hour, Output: far, OutputRate: far}},
		{"use", hostnative.Limits{CPU: time.Hour, Memory: far, Disk: far}},
		{"files", hostnative.Limits{FileSize: far, OpenFiles: 256}},
	} {
		b.Run(test.name, func(b *testing.B) {
			with := newHost(b, hostnative.Config{Limits: test.limits})
			runOnce(b, with, c) // and its keeper is there
			runOnce(b, without, c)
			var on, off []time.Duration
			for b.Loop() {
				begun := time.Now()
				runOnce(b, with, c)
				on = append(on, time.Since(begun))
				begun = time.Now()
				runOnce(b, without, c)
				off = append(off, time.Since(begun))
			}
			slices.Sort(on)
			slices.Sort(off)
			b.ReportMetric(float64(on[len(on)/2])/float64(off[len(off)/2]), "x")
		})
	}
}

// BenchmarkOutput is 1 MiB of output, read as fast as it comes.
func BenchmarkOutput(b *testing.B) {
	const size = 1 << 20
	h := newHost(b, hostnative.Config{})
	for _, m := range modes {
		b.Run(m.name, func(b *testing.B) {
			b.SetBytes(size)
			b.ReportAllocs()
			p := start(b, h, m.mode(line(`exec cat /dev/zero`)))
			more, enough := make(chan int), make(chan struct{})
			done := make(chan struct{})
			go func() { // ends by Close
				defer close(done)
				p.Output(func(_ uint8, out []byte) {
					select {
					case more <- len(out):
					case <-enough:
					}
				})
			}()
			for b.Loop() {
				for n := 0; n < size; n += <-more {
				}
			}
			close(enough)
			p.Close()
			<-done
		})
	}
}
