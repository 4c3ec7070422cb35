//go:build linux || darwin

package hostnative_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostnative"
)

// What Resolve could not see, or what has changed since, Start reports.
func TestStartErrors(t *testing.T) {
	huge := slices.Repeat([]string{strings.Repeat("x", 64<<10)}, 256) // more than any system takes
	for _, test := range []struct {
		name  string
		file  string                             // what the executable holds
		args  []string                           // for it
		spoil func(executable, cwd string) error // between Resolve and Start
		want  error
		names string // what the error's text has to say
	}{
		{name: "no program", file: "\x00\x01\x02\x03", want: unix.ENOEXEC, names: "executable"},
		{name: "no interpreter", file: "#!/no/such/interpreter\n", want: unix.ENOENT, names: "interpreter"},
		{name: "too long", file: "#!/bin/sh\n", args: huge, want: unix.E2BIG, names: "bytes"},
		{
			name: "executable gone", file: "#!/bin/sh\n",
			spoil: func(executable, _ string) error { return os.Remove(executable) },
			want:  unix.ENOENT, names: "executable",
		},
		{
			name: "executable forbidden", file: "#!/bin/sh\n",
			spoil: func(executable, _ string) error { return os.Chmod(executable, 0) },
			want:  unix.EACCES, names: "executable",
		},
		{
			name: "directory gone", file: "#!/bin/sh\n",
			spoil: func(_, cwd string) error { return os.Remove(cwd) },
			want:  unix.ENOENT, names: "directory",
		},
	} {
		for _, m := range modes {
			t.Run(test.name+"/"+m.name, func(t *testing.T) {
				dir := t.TempDir()
				executable, cwd := filepath.Join(dir, "executable"), filepath.Join(dir, "directory")
				if err := os.WriteFile(executable, []byte(test.file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.Mkdir(cwd, 0o755); err != nil {
					t.Fatal(err)
				}
				h := newHost(t, hostnative.Config{})
				e, err := h.Resolve(context.Background(), m.mode(core.Command{Command: executable, Args: test.args, Cwd: cwd}))
				if err != nil {
					t.Fatal(err)
				}
				if test.spoil != nil {
					if err := test.spoil(executable, cwd); err != nil {
						t.Fatal(err)
					}
				}
				p, err := h.Start(context.Background(), e)
				if err == nil {
					p.Close()
				}
				if !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.names) {
					t.Errorf("got %v, want %v with %q", err, test.want, test.names)
				}
			})
		}
	}
}

func TestStartUnresolved(t *testing.T) {
	h := newHost(t, hostnative.Config{})
	if _, err := h.Start(context.Background(), core.Exec{}); err == nil {
		t.Error("got nil, want an error")
	}
}
