package hostnative_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostnative"
)

// These tests have been compiled and vetted, but not run.

// A confined command writes its roots and its private directory, and nothing else, and
// connects to nothing.
func TestSandbox(t *testing.T) {
	outside := t.TempDir()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	port := listener.Addr().(*net.TCPAddr).Port
	for _, level := range []hostnative.SandboxLevel{hostnative.SandboxWorkspace, hostnative.SandboxStrict} {
		root, hidden := t.TempDir(), t.TempDir()
		h := newHost(t, hostnative.Config{Sandbox: hostnative.Sandbox{
			Level: level, Roots: []string{root}, Hide: []string{hidden}, Private: t.TempDir(),
		}})
		for _, m := range modes {
			for _, test := range []struct {
				script string
				works  bool
			}{
				{`echo x >"$root/new" && cat "$root/new" && rm "$root/new"`, true},
				{`echo x >"$TMPDIR/new" && mkdir -p "$XDG_CACHE_HOME/x" "$GOCACHE/x" "$npm_config_cache/x"`, true},
				{`echo x >/dev/null && head -c 1 /dev/urandom >/dev/null && cat /etc/hosts >/dev/null`, true},
				{`(sleep 100 & kill $!; wait $!; test $? = 143)`, true},
				{`echo x >&2; echo x >/dev/stdout`, true},
				{`echo x >"$outside/new"`, false},
				{`ln "$outside/there" "$root/link"`, false},
				{`rm "$outside/there"`, false},
				{`mv "$outside/there" "$root/"`, false},
				{`cat "$hidden/there"`, false},
				{`kill -0 $host`, false},
				{fmt.Sprintf(`bash -c 'exec 3<>/dev/tcp/127.0.0.1/%d'`, port), false},
			} {
				for _, dir := range []string{outside, hidden} {
					if err := os.WriteFile(filepath.Join(dir, "there"), nil, 0o600); err != nil {
						t.Fatal(err)
					}
				}
				c := m.mode(line(fmt.Sprintf("root=%s outside=%s hidden=%s host=%d\n%s", root, outside, hidden, os.Getpid(), test.script)))
				c.Cwd = root
				out, exit := run(t, h, c)
				if works := exit.Status == (core.ExitStatus{}); works != test.works {
					t.Errorf("%s, %s: %s: got %v, %q", level, m.name, test.script, exit.Status, out)
				}
			}
		}
	}
}

// What nobody has tried is no sandbox for who requires one, and all others are told.
func TestSandboxUntested(t *testing.T) {
	s := hostnative.Sandbox{Level: hostnative.SandboxWorkspace, Roots: []string{t.TempDir()}, Private: t.TempDir()}
	if err := newHost(t, hostnative.Config{Sandbox: s}).SandboxUntested(); err == nil {
		t.Error("it is not told")
	}
	if err := newHost(t, hostnative.Config{}).SandboxUntested(); err != nil {
		t.Errorf("without a sandbox: got %v", err)
	}
	s.Required = true
	if _, err := hostnative.New(hostnative.Config{Sandbox: s}); !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "untested") {
		t.Errorf("got %v", err)
	}
}
