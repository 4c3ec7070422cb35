package tests

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
)

var startFaults = []fault{
	{number: 1, name: "missing_binary", test: func(t *faultTest) {
		err := t.refused(core.Command{Command: "/no/such/command", Args: []string{"x"}})
		t.wantCause(err, fs.ErrNotExist, "/no/such/command")
		t.healthy()
	}},
	{number: 2, name: "not_executable", test: func(t *faultTest) {
		path := t.file("data", 0o644)
		t.wantCause(t.refused(core.Command{Command: path, Args: []string{"x"}}), fs.ErrPermission, path)
	}},
	{number: 3, name: "bad_program", test: func(t *faultTest) {
		for _, content := range []string{"\x7fELF\x02\x01\x01 and no more", "no #! line", ""} {
			path := t.file(content, 0o755)
			t.wantCause(t.refused(core.Command{Command: path}), unix.ENOEXEC, path)
		}
		t.healthy()
	}},
	{number: 4, name: "bad_directory", test: func(t *faultTest) {
		file := t.file("", 0o644)
		t.wantCause(t.refused(core.Command{Command: "true", Cwd: file}), unix.ENOTDIR, file)
		missing := filepath.Join(t.TempDir(), "missing")
		t.wantCause(t.refused(core.Command{Command: "true", Cwd: missing}), fs.ErrNotExist, missing)
	}},
	{number: 5, name: "directory_deleted", test: func(t *faultTest) {
		dir := filepath.Join(t.TempDir(), "gone")
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		c := t.sh(`rmdir "$PWD" && echo still here; exit 4`)
		c.Cwd = dir
		out, exit := t.run(c)
		t.wantStatus(exit, core.ExitStatus{ExitCode: 4})
		if out != "still here\n" {
			t.Errorf("got %q, want %q", out, "still here\n")
		}
		c.Command, c.Args = "true", nil
		t.wantCause(t.refused(c), fs.ErrNotExist, dir)
	}},
	{number: 6, name: "arguments_too_long", test: func(t *faultTest) {
		huge := slices.Repeat([]string{strings.Repeat("x", 64<<10)}, 112) // 7 MiB
		t.wantCause(t.refused(core.Command{Command: "/bin/true", Args: huge}), unix.E2BIG, "/bin/true")
		t.wantCause(t.refused(core.Command{Command: "/bin/true", Args: []string{strings.Repeat("x", 1<<20)}}), unix.E2BIG, "/bin/true")
		t.healthy()
	}},
	{number: 7, name: "nul_bytes", test: func(t *faultTest) {
		for _, c := range []core.Command{
			{Command: "true\x00"}, {Command: "true", Args: []string{"a\x00b"}}, {Command: "true", Cwd: "/\x00"},
			{Command: "true", Env: []core.EnvVariable{{Name: "A", Value: "\x00"}}},
		} {
			t.wantInvalid(t.refused(c), "nul_byte")
		}
	}},
	{number: 8, name: "bad_environment", test: func(t *faultTest) {
		t.wantInvalid(t.refused(core.Command{Command: "true", Env: []core.EnvVariable{{Value: "x"}}}), "empty_name")
		t.wantInvalid(t.refused(core.Command{Command: "true", Env: []core.EnvVariable{{Name: "A=B"}}}), "equals_in_name")
		c := t.sh(`echo $A`)
		c.Env = []core.EnvVariable{{Name: "A", Value: "first"}, {Name: "A", Value: "last"}}
		if out, _ := t.run(c); out != "last\n" {
			t.Errorf("got %q, want the last of equal names", out)
		}
	}},
	{number: 13, name: "parallel_creates", config: core.Config{MaxSessionTerminals: 1000, OutputByteLimit: 64 << 10}, test: func(t *faultTest) {
		var all sync.WaitGroup
		for range few(1000) {
			all.Go(func() {
				term, err := t.d.Create(t.ctx, "s", core.Command{Command: "/bin/true", Pty: t.pty})
				if err != nil {
					t.Errorf("create: %v", err)
					return
				}
				t.wantStatus(t.wait(term.ID()), core.ExitStatus{})
			})
		}
		all.Wait()
	}},
	{number: 14, name: "create_during_shutdown", test: func(t *faultTest) {
		for range few(100) {
			d := driver.New(driver.Config{Host: nativeHost(t)})
			var all sync.WaitGroup
			for range 4 {
				all.Go(func() {
					term, err := d.Create(t.ctx, "s", core.Command{Command: "sleep", Args: []string{"1000"}, Pty: t.pty})
					switch {
					case err == nil && term.ID() == "":
						t.Error("got neither a terminal nor an error")
					case err != nil && !errors.Is(err, driver.ErrClosed) && !errors.Is(err, core.ErrReleased):
						t.Errorf("got %v, want %v or %v", err, driver.ErrClosed, core.ErrReleased)
					}
				})
			}
			d.Close()
			all.Wait()
			if left := d.Terminals(); len(left) > 0 {
				t.Errorf("got %d terminals after Close, want 0", len(left))
			}
		}
	}},
}

// file writes a file and returns its path.
func (t *faultTest) file(content string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
	return path
}

// wantCause demands that an error names the cause and the thing.
func (t *faultTest) wantCause(err, cause error, thing string) {
	t.Helper()
	if !errors.Is(err, cause) || !strings.Contains(err.Error(), thing) {
		t.Errorf("got %.300v, want %v with %q", err, cause, thing)
	}
}

func (t *faultTest) wantInvalid(err error, reason string) {
	t.Helper()
	if invalid, ok := errors.AsType[*core.InvalidError](err); !ok || invalid.Reason != reason {
		t.Errorf("got %v, want reason %q", err, reason)
	}
}
