package plugins_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/engine/wazero"
	"github.com/terrarium-dev/terrarium/plugins"
)

// A program that has this module from the go command builds the sandbox's shell and tools
// when it first runs, and has bash from then on.
func ExampleBuild() {
	ctx := context.Background()
	cache, err := os.UserCacheDir()
	if err != nil {
		fmt.Println(err)
		return
	}
	dir := filepath.Join(cache, "myprogram", "plugins")
	modules, err := plugins.Build(ctx, dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	engine, err := wazero.New(wazero.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	host, err := hostwasm.New(hostwasm.Config{
		Engine: engine, Commands: hostwasm.Commands(modules), Hidden: []string{dir},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer host.Close()
	exec, err := host.Resolve(ctx, core.Command{Command: "echo ok | tr a-z A-Z"})
	fmt.Println(exec.Argv, err)
}

// An embedder who has not built the modules is told which there is not, and what makes it.
func TestMissing(t *testing.T) {
	bare(t)
	engine, err := wazero.New(wazero.Config{})
	if err != nil {
		t.Fatal(err)
	}
	host, err := hostwasm.New(hostwasm.Config{Engine: engine, Commands: hostwasm.Commands(plugins.Modules())})
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close()
	for line, module := range map[string]string{"ls | wc": "box", "git": "git"} {
		exec, err := host.Resolve(t.Context(), core.Command{Command: line})
		if err != nil {
			t.Fatal(err)
		}
		_, err = host.Start(t.Context(), exec)
		if want := "this build has no " + module + " for the sandbox: plugins.Build makes it"; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", line, err, want)
		}
	}
}
