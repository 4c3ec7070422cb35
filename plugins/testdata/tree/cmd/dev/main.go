// Command dev stands for the module's own: "dev plugins -version V DIR NAME…" makes plugins of
// what is in plugins/made, at once. What plugins/made/fault says goes wrong.
package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

func main() {
	version, dir, names := os.Args[3], os.Args[4], os.Args[5:]
	fault, _ := os.ReadFile("plugins/made/fault") // none, mostly
	kind, at, _ := strings.Cut(strings.TrimSpace(string(fault)), " ")
	switch kind {
	case "fails":
		fmt.Println("the source has\na \x1b[31mmistake")
		os.Exit(1)
	case "hangs":
		begun, err := os.OpenFile(at, os.O_WRONLY, 0) // a FIFO
		check(err)
		fmt.Fprintln(begun, os.Getpid())
		check(begun.Close())
		time.Sleep(24 * time.Hour) // and no select: that would be a deadlock, which ends it
	case "deaf": // as hangs, but SIGTERM does nothing; what reads the FIFO sees its end
		signal.Ignore(syscall.SIGTERM)
		begun, err := os.OpenFile(at, os.O_WRONLY, 0)
		check(err)
		os.Stdout.Close() // or who started it would wait for the end of that
		os.Stderr.Close()
		fmt.Fprintln(begun, os.Getpid())
		time.Sleep(24 * time.Hour)
		begun.Close()
	case "version":
		version = "v0.0.1"
	case "nothing":
		return
	}
	for _, name := range append(names, "direct") {
		wasm, err := os.ReadFile(filepath.Join("plugins/made", name+".wasm"))
		check(err)
		const section = "terrarium.plugin"
		stamp := append(binary.AppendUvarint(nil, uint64(len(section))), section+name+" "+version...)
		wasm = append(binary.AppendUvarint(append(wasm, 0), uint64(len(stamp))), stamp...)
		check(os.WriteFile(filepath.Join(dir, name+".wasm"), wasm, 0o600))
	}
	list, err := os.ReadFile("plugins/made/box.txt")
	check(err)
	check(os.WriteFile(filepath.Join(dir, "box.txt"), list, 0o600))
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
