package hostwasm_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	. "github.com/terrarium-dev/terrarium/core/meter/metertest"
	"github.com/terrarium-dev/terrarium/hostwasm"
)

// A bystander is another terminal's command, which answers line by line.
type bystander struct {
	process driver.Process
	said    chan byte
}

// echo writes each byte that it reads, and needs next to nothing for that.
var echo = hostwasm.NewModule("echo", build(func(m *Module) {
	read := m.Import(preview1, "fd_read", "(i32,i32,i32,i32)->i32")
	write := m.Import(preview1, "fd_write", "(i32,i32,i32,i32)->i32")
	m.Data(0, []byte{16, 0, 0, 0, 1, 0, 0, 0}) // a vector of the one byte at 16
	m.Export("_start", m.Func("()->()", "", Loop(EmptyType,
		I32(0), I32(0), I32(1), I32(8), Call(read), Op(Drop),
		// no vector at the end of a file
		I32(1), I32(0), I32(8), Memory(I32Load, 0), I32(12), Call(write), Op(Drop),
		I32(8), Memory(I32Load, 0), BrIf(0))))
}))

// stand starts a bystander, which ends with the test.
func stand(t *testing.T, h driver.Host) *bystander {
	t.Helper()
	c := core.Command{Command: "echo", Args: []string{"x"}, Interactive: true}
	b := &bystander{launch(t, h, c), make(chan byte, 1<<10)}
	read := make(chan struct{})
	go func() { // ends with Close
		defer close(read)
		b.process.Output(func(_ uint8, p []byte) {
			for _, c := range p {
				b.said <- c
			}
		})
	}()
	t.Cleanup(func() {
		b.process.Close()
		<-read
	})
	b.alive(t)
	return b
}

// alive checks that the bystander still answers, and that the collector is not
// kept waiting.
func (b *bystander) alive(t *testing.T) {
	t.Helper()
	begun := time.Now()
	runtime.GC()
	if took := time.Since(begun); took > 30*time.Second {
		t.Errorf("runtime.GC took %v", took)
	}
	if _, err := b.process.Write([]byte("?")); err != nil {
		t.Fatalf("write to the bystander: %v", err)
	}
	select {
	case <-b.said:
	case <-time.After(time.Minute):
		t.Fatal("the bystander does not answer")
	}
}
