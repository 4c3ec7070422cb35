package wasi_test

import (
	"context"
	"fmt"
	"io"

	"github.com/terrarium-dev/terrarium/core/meter"
	mt "github.com/terrarium-dev/terrarium/core/meter/metertest"
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/engine/wazero"
	"github.com/terrarium-dev/terrarium/hostwasm/wasi"
)

// hello is a module that writes a greeting and exits with 7.
func hello() []byte {
	var m mt.Module
	write := m.Import(wasi.Preview1, "fd_write", "(i32,i32,i32,i32)->i32")
	exit := m.Import(wasi.Preview1, "proc_exit", "(i32)->()")
	m.Memory(1, 1)
	m.ExportMemory("memory")
	m.Data(0, []byte("\x08\x00\x00\x00\x06\x00\x00\x00hello\n")) // an iovec and what it points to
	m.Export("_start", m.Func("()->()", "",
		mt.I32(1), mt.I32(0), mt.I32(1), mt.I32(100), mt.Call(write), mt.Op(mt.Drop), mt.I32(7), mt.Call(exit)))
	return m.Bytes()
}

// An engine runs a module with the functions of this package, and a Process as
// its guest.
func Example() {
	module, _, err := meter.Rewrite(hello(), meter.Config{})
	if err != nil {
		panic(err)
	}
	e, err := wazero.New(wazero.Config{})
	if err != nil {
		panic(err)
	}
	defer e.Close()
	program, err := e.Compile(context.Background(), module, wasi.Funcs(), "")
	if err != nil {
		panic(err)
	}
	defer program.Close()

	out, stdout := wasi.NewPipe(0)
	p, err := wasi.New(wasi.Config{Args: []string{"hello"}, Stdout: stdout.OpenFile()})
	if err != nil {
		panic(err)
	}
	err = program.Run(engine.RunConfig{
		Guest:     p,
		MaxMemory: 1 << 20,
		Refill:    func(int64) (int64, error) { return 1 << 20, nil },
	})
	p.Close() // and with it its end of the pipe
	text, _ := io.ReadAll(out)
	fmt.Printf("%s%v\n", text, err)
	// Output:
	// hello
	// exit 7
}
