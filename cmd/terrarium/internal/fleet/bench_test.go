package fleet

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/hostnative"
)

// BenchmarkFleet does things here and over NATS in turns. Near side, server and worker are in this
// process. "times" is the ratio of the medians: over NATS by here, or for bytes a second the same.
func BenchmarkFleet(b *testing.B) {
	here, err := hostnative.New(hostnative.Config{})
	if err != nil {
		b.Skip(err)
	}
	b.Cleanup(func() { here.Close() })
	s := newServer(b)
	newWorker(b, s, WorkerConfig{Name: "w", Slots: 4, Host: here})
	client := newClient(b, s)
	there := place(b, PlaceConfig{Client: client})
	b.Run("command", func(b *testing.B) { inTurns(b, runTrue(b, here), runTrue(b, there)) })
	b.Run("echo", func(b *testing.B) { inTurns(b, echoLine(b, here), echoLine(b, there)) })
	b.Run("output of 4 MiB", func(b *testing.B) { inTurns(b, readZeros(b, here), readZeros(b, there)) })
	b.Run("a place, and a command here", func(b *testing.B) {
		n := 0
		inTurns(b, runTrue(b, here), func() error {
			n++
			side, err := startNear(b.Context(), client, fmt.Sprint("none", n))
			if err == nil {
				side.Close()
			}
			return err
		})
	})
}

// BenchmarkContainer does things on a worker, and on one whose sessions have a host of their own
// behind pipes, as in a container, in turns. "times" is what the second decoding costs.
func BenchmarkContainer(b *testing.B) {
	native, err := hostnative.New(hostnative.Config{})
	if err != nil {
		b.Skip(err)
	}
	b.Cleanup(func() { native.Close() })
	s := newServer(b)
	newWorker(b, s, WorkerConfig{Name: "plain", Slots: 1, Host: native, Labels: Labels{"is": "plain"}})
	config := behindStream("container", 1, native, pipes)
	config.Labels = Labels{"is": "container"}
	newWorker(b, s, config)
	client := newClient(b, s)
	plain := place(b, PlaceConfig{Client: client, Labels: Labels{"is": "plain"}})
	container := place(b, PlaceConfig{Client: client, Labels: config.Labels})
	b.Run("command", func(b *testing.B) { inTurns(b, runTrue(b, plain), runTrue(b, container)) })
	b.Run("echo", func(b *testing.B) { inTurns(b, echoLine(b, plain), echoLine(b, container)) })
	b.Run("output of 4 MiB", func(b *testing.B) { inTurns(b, readZeros(b, plain), readZeros(b, container)) })
}

// A duplex is one side of two pipes.
type duplex struct{ in, out *os.File }

func (d duplex) Read(p []byte) (int, error)  { return d.in.Read(p) }
func (d duplex) Write(p []byte) (int, error) { return d.out.Write(p) }
func (d duplex) Close() error                { return errors.Join(d.in.Close(), d.out.Close()) }

// pipes returns a stream as a program has it that an engine starts.
func pipes() (near, far io.ReadWriteCloser) {
	in, farOut, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	farIn, out, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	return duplex{in, out}, duplex{farIn, farOut}
}

// inTurns does one thing and the other b.N times.
func inTurns(b *testing.B, here, there func() error) {
	b.Helper()
	var took [2][]time.Duration
	for b.Loop() {
		for i, do := range []func() error{here, there} {
			began := time.Now()
			if err := do(); err != nil {
				b.Fatal(err)
			}
			took[i] = append(took[i], time.Since(began))
		}
	}
	median := func(all []time.Duration) float64 {
		slices.Sort(all)
		return float64(all[len(all)/2])
	}
	b.ReportMetric(median(took[1]), "ns/op")
	b.ReportMetric(median(took[1])/median(took[0]), "times")
}

func startIn(b *testing.B, h driver.Host, c core.Command) driver.Process {
	b.Helper()
	e, err := h.Resolve(b.Context(), c)
	if err != nil {
		b.Fatal(err)
	}
	p, err := h.Start(b.Context(), e)
	if err != nil {
		b.Fatal(err)
	}
	return p
}

func runTrue(b *testing.B, h driver.Host) func() error {
	return func() error {
		p := startIn(b, h, core.Command{Command: "true"})
		p.Output(func(uint8, []byte) {})
		if _, err := p.Wait(); err != nil {
			return err
		}
		return p.Close()
	}
}

// read returns a process, and what tells how much it has written. Both end with b.
func read(b *testing.B, h driver.Host, c core.Command) (driver.Process, <-chan int) {
	p := startIn(b, h, c)
	more := make(chan int)
	go func() { // ends by Close
		defer close(more)
		p.Output(func(_ uint8, q []byte) { more <- len(q) })
	}()
	b.Cleanup(func() {
		go p.Close() // while there is more, nobody must wait
		for range more {
		}
	})
	return p, more
}

func echoLine(b *testing.B, h driver.Host) func() error {
	p, more := read(b, h, core.Command{Command: "cat", Interactive: true})
	return func() error {
		_, err := p.Write([]byte("x\n"))
		<-more
		return err
	}
}

func readZeros(b *testing.B, h driver.Host) func() error {
	_, more := read(b, h, core.Command{Command: "cat", Args: []string{"/dev/zero"}})
	return func() error {
		for n := 0; n < 4<<20; n += <-more {
		}
		return nil
	}
}
