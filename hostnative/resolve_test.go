//go:build linux || darwin

package hostnative_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostnative"
)

// A tree of files that commands could mean:
//
//	work/my tool    executable
//	work/plain      not executable
//	work/folder/
//	bin/tool        executable
//	bin/two words   executable
//	bin/plain       not executable
func tree(t *testing.T) (root string) {
	t.Helper()
	root = t.TempDir()
	for _, dir := range []string{"work/folder", "bin"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, mode := range map[string]os.FileMode{
		"work/my tool": 0o755, "work/plain": 0o644,
		"bin/tool": 0o755, "bin/two words": 0o755, "bin/plain": 0o644,
	} {
		script := "#!/bin/sh\necho \"$0\" \"$@\"\n"
		if err := os.WriteFile(filepath.Join(root, name), []byte(script), mode); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestResolve(t *testing.T) {
	root := tree(t)
	work, bin := filepath.Join(root, "work"), filepath.Join(root, "bin")
	h := newHost(t, hostnative.Config{Env: []string{"PATH=/usr/bin:/bin"}, Shell: "/bin/sh"})
	x := []string{"x"}
	for _, test := range []struct {
		name    string
		command string
		args    []string
		path    string // the command's PATH
		want    string // the path to execute
		via     core.Via
		err     error
	}{
		{name: "args absolute", command: bin + "/tool", args: x, want: bin + "/tool", via: core.ViaArgs},
		{name: "args relative to cwd", command: "./my tool", args: x, want: work + "/my tool", via: core.ViaArgs},
		{name: "args parent", command: "../bin/tool", args: x, want: work + "/../bin/tool", via: core.ViaArgs},
		{name: "args in PATH", command: "tool", args: x, path: bin, want: bin + "/tool", via: core.ViaArgs},
		{name: "args in relative PATH", command: "tool", args: x, path: "/none:../bin", want: work + "/../bin/tool", via: core.ViaArgs},
		{name: "args in empty PATH element", command: "my tool", args: x, path: ":/none", want: work + "/my tool", via: core.ViaArgs},
		{name: "args is not a line", command: "echo a", args: x, err: fs.ErrNotExist},
		{name: "args missing", command: "nothing", args: x, path: bin, err: fs.ErrNotExist},
		{name: "args missing path", command: work + "/nothing", args: x, err: fs.ErrNotExist},
		{name: "args not in host's PATH", command: "tool", args: x, err: fs.ErrNotExist},
		{name: "args directory", command: "./folder", args: x, err: fs.ErrPermission},
		{name: "args device", command: "/dev/null", args: x, err: fs.ErrPermission},
		{name: "args not executable", command: "./plain", args: x, err: fs.ErrPermission},
		{name: "args not executable in PATH", command: "plain", args: x, path: bin, err: fs.ErrPermission},

		{name: "file absolute", command: work + "/my tool", want: work + "/my tool", via: core.ViaFile},
		{name: "file relative", command: "./my tool", want: work + "/my tool", via: core.ViaFile},
		{name: "file in PATH", command: "two words", path: bin, want: bin + "/two words", via: core.ViaFile},
		{name: "file goes by the last PATH", command: "tool", path: bin, want: bin + "/tool", via: core.ViaFile},

		{name: "line", command: "tool && echo a", path: bin, want: "/bin/sh", via: core.ViaShell},
		{name: "line with leading space", command: " tool", path: bin, want: "/bin/sh", via: core.ViaShell},
		{name: "line of a builtin", command: "exit 3", want: "/bin/sh", via: core.ViaShell},
		{name: "line that is missing", command: "nothing", path: bin, want: "/bin/sh", via: core.ViaShell},
		{name: "line that is a directory", command: work + "/folder", want: "/bin/sh", via: core.ViaShell},
		{name: "line that is not executable", command: "./plain", want: "/bin/sh", via: core.ViaShell},
		{name: "line that is too long for a name", command: strings.Repeat("x", 5000), want: "/bin/sh", via: core.ViaShell},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := core.Command{Command: test.command, Args: test.args, Cwd: work}
			if test.path != "" {
				c.Env = []core.EnvVariable{{Name: "PATH", Value: "/wrong"}, {Name: "PATH", Value: test.path}}
			}
			e, err := h.Resolve(context.Background(), c)
			if test.err != nil {
				if !errors.Is(err, test.err) || !strings.Contains(err.Error(), filepath.Base(test.command)) {
					t.Errorf("got %v, want %v, naming %q", err, test.err, filepath.Base(test.command))
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			argv := append([]string{test.command}, test.args...)
			if test.via == core.ViaShell {
				argv = []string{"/bin/sh", "-c", test.command}
			}
			if e.Path != test.want || e.Via != test.via || !slices.Equal(e.Argv, argv) {
				t.Errorf("got %s %q via %s, want %s %q via %s", e.Path, e.Argv, e.Via, test.want, argv, test.via)
			}
		})
	}
}

// A shell line runs the host's shell, whatever the command's PATH and its
// directory would offer.
func TestResolveShell(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"both/bash", "both/sh", "one/sh", "bash"} {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	both, one := filepath.Join(root, "both"), filepath.Join(root, "one")
	for _, test := range []struct {
		name   string
		config hostnative.Config
		want   string
	}{
		{"bash first", hostnative.Config{Env: []string{"PATH=" + one + ":" + both}}, both + "/bash"},
		{"last PATH", hostnative.Config{Env: []string{"PATH=" + one, "PATH=" + both}}, both + "/bash"},
		{"config name", hostnative.Config{Env: []string{"PATH=" + both}, Shell: "sh"}, both + "/sh"},
		{"config path", hostnative.Config{Env: []string{"PATH=" + both}, Shell: one + "/sh"}, one + "/sh"},
		{"falls back to /bin", hostnative.Config{Env: []string{}, Shell: "sh"}, "/bin/sh"},
		{"relative PATH is skipped", hostnative.Config{Env: []string{"PATH=:.:"}, Shell: "sh"}, "/bin/sh"},
		{"missing", hostnative.Config{Shell: "no-such-shell"}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			e, err := newHost(t, test.config).Resolve(context.Background(), core.Command{
				Command: "true; true",
				Cwd:     root,
				Env:     []core.EnvVariable{{Name: "PATH", Value: root}},
			})
			if test.want == "" {
				if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), test.config.Shell) {
					t.Errorf("got %v, want %v that names it", err, fs.ErrNotExist)
				}
				return
			}
			if err != nil || e.Path != test.want {
				t.Errorf("got %q, %v, want %q, nil", e.Path, err, test.want)
			}
		})
	}
}

func TestResolveCwd(t *testing.T) {
	root := tree(t)
	h := newHost(t, hostnative.Config{})
	for _, test := range []struct {
		cwd string
		err error
	}{
		{root + "/nothing", unix.ENOENT},
		{root + "/work/plain", unix.ENOTDIR},
		{root + "/work/plain/below", unix.ENOTDIR},
	} {
		_, err := h.Resolve(context.Background(), core.Command{Command: "/bin/sh", Cwd: test.cwd})
		if !errors.Is(err, test.err) || !strings.Contains(err.Error(), test.cwd) {
			t.Errorf("got %v, want %v that names %s", err, test.err, test.cwd)
		}
	}

	// No directory is the host's own, and the Exec tells which one that is.
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	e, err := h.Resolve(context.Background(), core.Command{Command: "/bin/sh"})
	if err != nil || e.Command.Cwd != here {
		t.Errorf("got directory %q, %v, want %q, nil", e.Command.Cwd, err, here)
	}
}
