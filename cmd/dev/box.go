package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// A patched module is one that a build of ours changes: a copy of it in an
// ignored folder, with our patches applied, replaces it.
type patchedModule struct {
	path    string
	patches string // the folder of patches, applied in order of their names
}

// patchedModules are those that plugins/box is built with for WASI.
var patchedModules = []patchedModule{{path: "mvdan.cc/sh/v3", patches: "plugins/box/patches/sh"}}

// smallPackages are those of the box whose functions are not copied to where
// they are called: they take less room so, and work with files or are not in
// the loops that commands spend their time in.
var smallPackages = []string{
	"mvdan.cc/sh/v3/...",
	"github.com/terrarium-dev/terrarium/plugins/box/internal/archive",
	"github.com/terrarium-dev/terrarium/plugins/box/internal/basic",
	"github.com/terrarium-dev/terrarium/plugins/box/internal/bash",
	"github.com/terrarium-dev/terrarium/plugins/box/internal/bc",
	"github.com/terrarium-dev/terrarium/plugins/box/internal/cc",
	"github.com/terrarium-dev/terrarium/plugins/box/internal/clock",
	"github.com/terrarium-dev/terrarium/plugins/box/internal/edit",
	"github.com/terrarium-dev/terrarium/plugins/box/internal/files",
	"github.com/terrarium-dev/terrarium/plugins/box/internal/find",
	"github.com/terrarium-dev/terrarium/plugins/box/internal/jq",
	"github.com/terrarium-dev/terrarium/plugins/box/internal/magic",
	"github.com/terrarium-dev/terrarium/plugins/box/internal/mk",
	"github.com/terrarium-dev/terrarium/plugins/box/internal/ripgrep",
	"github.com/terrarium-dev/terrarium/plugins/box/internal/node",
	"github.com/terrarium-dev/terrarium/plugins/box/internal/option",
	"github.com/terrarium-dev/terrarium/plugins/box/internal/process",
	"github.com/terrarium-dev/terrarium/plugins/box/internal/system",
	"github.com/terrarium-dev/terrarium/plugins/box/internal/transfer",
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tty",
	"github.com/terrarium-dev/terrarium/plugins/http/...",
	"archive/zip",
	"encoding/json",
	"fmt",
	"mime",
	"net/url",
	"os/user",
	"regexp/syntax",
}

// buildBox builds the commands of the sandbox into dir, and the list of their names.
func buildBox(ctx context.Context, out io.Writer, dir, version string) error {
	mod, err := patchModules(ctx, out, filepath.Join(".cache", "patched"))
	if err != nil {
		return err
	}
	flags := append([]string{"-modfile=" + mod, "-trimpath", "-ldflags=-s -w"}, keptSmall(smallPackages)...)
	if err := buildPlugin(ctx, out, dir, "box", version, flags...); err != nil {
		return err
	}
	names, err := exec.CommandContext(ctx, "go", "run", "./plugins/box", "--list").Output()
	if err != nil {
		return fmt.Errorf("list the box's commands: %w", err)
	}
	return os.WriteFile(filepath.Join(dir, "box.txt"), names, 0o666)
}

// patchModules makes a go.mod in dir with which the patched modules are used. A
// patch that does not apply is an error.
func patchModules(ctx context.Context, out io.Writer, dir string) (mod string, err error) {
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	mod = filepath.Join(dir, "go.mod")
	for from, to := range map[string]string{"go.mod": mod, "go.sum": filepath.Join(dir, "go.sum")} {
		b, err := os.ReadFile(from)
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(to, b, 0o666); err != nil {
			return "", err
		}
	}
	// By our own patch: a bare machine has none.
	box := filepath.Join(dir, "box")
	if err := command(ctx, out, nil, "go", "build", "-ldflags=-s -w", "-o", box, "./plugins/box"); err != nil {
		return "", err
	}
	for i, m := range patchedModules {
		copied := filepath.Join(dir, fmt.Sprint(i))
		if err := m.copy(ctx, out, box, copied); err != nil {
			return "", err
		}
		if filepath.IsLocal(copied) {
			copied = "./" + copied // so that an @ in the path of the module begins no version
		}
		if err := command(ctx, out, nil, "go", "mod", "edit", "-replace="+m.path+"="+copied, mod); err != nil {
			return "", err
		}
	}
	return mod, nil
}

// copy makes a patched copy of the module in dir, with the patch of a box.
func (m patchedModule) copy(ctx context.Context, out io.Writer, box, dir string) error {
	b, err := exec.CommandContext(ctx, "go", "mod", "download", "-json", m.path).Output()
	if err != nil {
		return fmt.Errorf("go mod download %s: %w", m.path, err)
	}
	var original struct{ Dir string }
	if err := json.Unmarshal(b, &original); err != nil {
		return err
	}
	if err := os.CopyFS(dir, os.DirFS(original.Dir)); err != nil {
		return err
	}
	patches, err := filepath.Glob(filepath.Join(m.patches, "*.patch")) // in order of their names
	if err != nil {
		return err
	}
	for _, patch := range patches {
		absolute, err := filepath.Abs(patch)
		if err != nil {
			return err
		}
		if err := command(ctx, out, nil, box, "patch", "-p1", "-d", dir, "-i", absolute); err != nil {
			return fmt.Errorf("%s no longer applies: %w", patch, err)
		}
	}
	return nil
}
