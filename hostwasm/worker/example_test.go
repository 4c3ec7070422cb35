package worker_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/worker"
	"github.com/terrarium-dev/terrarium/plugins"
)

// docs/embedding.md has this file as a program, and TestReadme in tests demands that it does.
func Example() {
	worker.Main() // first of all: in a worker, which is this program again, it does not return
	if err := sandboxed(context.Background()); err != nil {
		fmt.Println(err)
	}
}

func sandboxed(ctx context.Context) error {
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	own := filepath.Join(cache, "myprogram")
	modules, err := built(ctx, filepath.Join(own, "modules"))
	if err != nil {
		return err
	}
	host, err := worker.New(worker.Config{
		Commands: hostwasm.Commands(modules),
		CacheDir: filepath.Join(own, "compiled"), // to compile takes seconds, once
		Hidden:   []string{own},
	})
	if err != nil {
		return err
	}
	defer host.Close()
	d := driver.New(driver.Config{Host: host})
	defer d.Close() // ends whatever still runs

	dir, err := os.MkdirTemp("", "project")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	command := core.Command{
		Command: "echo hello | tr a-z A-Z > out; cat out /etc/passwd",
		Cwd:     dir,
		Roots:   []string{dir}, // what it is handed, and nothing else of this machine
	}
	term, err := d.Create(ctx, "session", command)
	if err != nil {
		return err
	}
	exit, err := term.Wait(ctx)
	if err != nil {
		return err
	}
	output, _ := term.Output()
	fmt.Printf("%s%v\n", output, exit.Status)
	return nil
}

// built returns the shell and git. A program from "go get" is without them, and builds
// them into dir when it first runs: that takes minutes, and what it does goes to Log.
func built(ctx context.Context, dir string) ([]plugins.Module, error) {
	var missing []string
	for _, m := range plugins.In(dir) {
		if m.Missing() != nil {
			missing = append(missing, m.Name)
		}
	}
	if len(missing) > 0 {
		b := plugins.Builder{Modules: missing, Log: os.Stderr}
		if err := b.Build(ctx, dir); err != nil {
			return nil, err
		}
	}
	return plugins.In(dir), nil
}
