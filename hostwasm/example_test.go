package hostwasm_test

import (
	"bytes"
	"context"
	"fmt"
	"os"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/engine/wazero"
	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// A command gets a file system in memory and a function of ours. It is
// testdata/shout: shout FILE prints FILE in capitals, which the function makes.
func Example() {
	notes := vfs.Memory(vfs.MemoryOptions{Quota: vfs.NewQuota(1<<20, 100)})
	file, _ := notes.Open("today", vfs.How{Write: true, Create: true})
	file.WriteAt([]byte("water the ferns\n"), 0)
	file.Close()

	upper := func(_ any, mem *engine.Memory, stack []uint64) error {
		ptr, n := uint32(stack[0]), uint32(stack[1])
		text, ok := mem.In(ptr, n)
		if !ok {
			stack[0] = uint64(errno.FAULT)
			return nil
		}
		capitals, _ := mem.Out(ptr, n)
		copy(capitals, bytes.ToUpper(text)) // of ASCII
		mem.Store(ptr, capitals)
		stack[0] = 0
		return nil
	}
	wasm, _ := wazero.New(wazero.Config{})
	host, err := hostwasm.New(hostwasm.Config{
		Engine:   wasm,
		Commands: map[string]*hostwasm.Module{"shout": shout},
		Mounts:   []hostwasm.Mount{{FS: notes, Guest: "/notes", ReadOnly: true}},
		Funcs:    []engine.Func{{Module: "example", Name: "upper", Params: "ii", Results: "i", Call: upper}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer host.Close()

	exec, _ := host.Resolve(context.Background(), core.Command{Command: "shout", Args: []string{"/notes/today"}})
	process, err := host.Start(context.Background(), exec)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer process.Close()
	process.Output(func(_ uint8, p []byte) { os.Stdout.Write(p) })
	exit, _ := process.Wait()
	fmt.Println("exit", exit.Status.ExitCode)
	// Output:
	// WATER THE FERNS
	// exit 0
}
