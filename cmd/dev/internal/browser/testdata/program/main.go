//go:build js

// Command program does what its first argument says, in a page.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/terrarium-dev/terrarium/core/meter"
	"github.com/terrarium-dev/terrarium/core/meter/metertest"
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/engine/page"
)

func main() {
	if err := map[string]func() error{"files": files, "block": block, "spin": spin, "panic": trouble}[os.Args[1]](); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(3)
}

// files reads what the runner has brought, and uses what it can write to.
func files() error {
	b, err := os.ReadFile("given")
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		return err
	}
	file := filepath.Join(dir, "a", "b")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(file, b, 0o600); err != nil {
		return err
	}
	if err := os.Rename(file, file+"2"); err != nil {
		return err
	}
	entries, err := os.ReadDir(filepath.Dir(file))
	if err != nil {
		return err
	}
	fmt.Println(os.Args[1:], os.Getenv("TERRARIUM_X"), string(b), entries)
	_, err = os.Stat(file)
	fmt.Fprintln(os.Stderr, err)
	return os.RemoveAll(dir)
}

// block has a guest's call wait where it must not.
func block() error {
	e, err := page.New()
	if err != nil {
		return err
	}
	var m metertest.Module
	m.Export("_start", m.Func("()->()", "", metertest.Call(m.Import("m", "f", "()->()"))))
	metered, _, err := meter.Rewrite(m.Bytes(), meter.Config{AskGrow: true})
	if err != nil {
		return err
	}
	f := engine.Func{Module: "m", Name: "f", Call: func(any, *engine.Memory, []uint64) error {
		<-make(chan int)
		return nil
	}}
	p, err := e.Compile(context.Background(), metered, []engine.Func{f}, "")
	if err != nil {
		return err
	}
	return p.Run(engine.RunConfig{Refill: func(int64) (int64, error) { return 1 << 20, nil }})
}

func spin() error {
	for {
	}
}

func trouble() error { panic("as it should") }
