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

// What agents and people read names the thing and the cause, each once; what
// programs ask for is below it.
func TestRefusals(t *testing.T) {
	dir := t.TempDir()
	file := func(name, content string, mode os.FileMode) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	plain := file("plain", "", 0o644)
	loop := filepath.Join(dir, "loop")
	if err := os.Symlink("loop", loop); err != nil {
		t.Fatal(err)
	}
	script := file("script", "#! /no/such/interpreter -x\n", 0o755)
	garbage := file("garbage", "\x7fELF and no more", 0o755)
	long := strings.Repeat("x", 300)
	huge := slices.Repeat([]string{strings.Repeat("x", 64<<10)}, 256) // more than any system takes
	x := []string{"x"}
	for _, test := range []struct {
		name   string
		c      core.Command
		config hostnative.Config
		text   string // "…" is for what differs
		reason string
		cause  error
	}{
		{"not in PATH", core.Command{Command: "nosuch", Args: x}, hostnative.Config{Env: []string{"PATH=/usr/bin:/bin"}},
			"nosuch: not found in PATH", "not_found", fs.ErrNotExist},
		{"missing", core.Command{Command: dir + "/nosuch", Args: x}, hostnative.Config{},
			dir + "/nosuch: no such file", "not_found", unix.ENOENT},
		{"missing below a file", core.Command{Command: plain + "/x", Args: x}, hostnative.Config{},
			plain + "/x: not a directory", "not_directory", unix.ENOTDIR},
		{"not executable", core.Command{Command: plain, Args: x}, hostnative.Config{},
			plain + ": permission denied: not executable", "permission_denied", fs.ErrPermission},
		{"directory", core.Command{Command: dir, Args: x}, hostnative.Config{},
			dir + ": is a directory", "permission_denied", fs.ErrPermission},
		{"device", core.Command{Command: "/dev/null", Args: x}, hostnative.Config{},
			"/dev/null: not a regular file", "permission_denied", fs.ErrPermission},
		{"loop", core.Command{Command: loop, Args: x}, hostnative.Config{},
			loop + ": too many levels of symbolic links", "start_failed", unix.ELOOP},
		{"long name", core.Command{Command: "/" + long, Args: x}, hostnative.Config{},
			"/" + long + ": file name too long", "too_long", unix.ENAMETOOLONG},
		{"no interpreter", core.Command{Command: script}, hostnative.Config{},
			script + ": interpreter not found: /no/such/interpreter", "not_found", unix.ENOENT},
		{"no program", core.Command{Command: garbage}, hostnative.Config{},
			garbage + ": neither a program for this machine nor a script that begins with #!", "not_executable", unix.ENOEXEC},
		{"arguments", core.Command{Command: "/bin/sh", Args: huge}, hostnative.Config{},
			"/bin/sh: arguments and environment too long: … bytes", "too_long", unix.E2BIG},
		{"missing directory", core.Command{Command: "true", Cwd: dir + "/gone"}, hostnative.Config{},
			dir + "/gone: no such directory (cwd)", "not_found", unix.ENOENT},
		{"file for a directory", core.Command{Command: "true", Cwd: plain}, hostnative.Config{},
			plain + ": not a directory (cwd)", "not_directory", unix.ENOTDIR},
		{"missing shell", core.Command{Command: "x; y"}, hostnative.Config{Shell: "no-such-shell"},
			"no-such-shell: not found in PATH (shell)", "not_found", fs.ErrNotExist},
		{"shell not executable", core.Command{Command: "x; y"}, hostnative.Config{Shell: plain},
			plain + ": permission denied: not executable (shell)", "permission_denied", fs.ErrPermission},
	} {
		for _, m := range modes {
			t.Run(test.name+"/"+m.name, func(t *testing.T) {
				err := refusal(newHost(t, test.config), m.mode(test.c))
				wantRefusal(t, err, test.text, test.reason, test.cause)
			})
		}
	}
}

// refusal returns why c does not start.
func refusal(h *hostnative.Host, c core.Command) error {
	e, err := h.Resolve(context.Background(), c)
	if err != nil {
		return err
	}
	p, err := h.Start(context.Background(), e)
	if err == nil {
		p.Close()
	}
	return err
}

func wantRefusal(t *testing.T, err error, text, reason string, cause error) {
	t.Helper()
	host, ok := errors.AsType[*core.HostError](err)
	if !ok {
		t.Fatalf("got %v, want a HostError", err)
	}
	begin, end, _ := strings.Cut(text, "…")
	if got := err.Error(); !strings.HasPrefix(got, begin) || !strings.HasSuffix(got, end) || end == "" && got != text {
		t.Errorf("got %q, want %q", got, text)
	}
	if host.Reason != reason || !errors.Is(err, cause) {
		t.Errorf("got reason %q, and %v is %t of it; want %q, true", host.Reason, cause, errors.Is(err, cause), reason)
	}
}
