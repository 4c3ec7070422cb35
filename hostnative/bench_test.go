//go:build linux || darwin

package hostnative_test

import (
	"context"
	"testing"

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
