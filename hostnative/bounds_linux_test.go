package hostnative_test

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostnative"
	"github.com/terrarium-dev/terrarium/hostnative/internal/confine"
)

// A command that is granted to run without the sandbox has the limits of all others.
func TestBoundsLimits(t *testing.T) {
	if err := confine.Available().Err(); err != nil {
		t.Skip("NOT RUN: ", err)
	}
	root, outside := t.TempDir(), t.TempDir()
	h := newHost(t, hostnative.Config{
		Sandbox: hostnative.Sandbox{Level: hostnative.SandboxWorkspace, Roots: []string{root}, Private: t.TempDir()},
		Limits:  hostnative.Limits{CPU: 300 * time.Millisecond},
	})
	c := line(`touch "$1" || exit; `+spin, filepath.Join(outside, "new"))
	c.Cwd, c.Bounds = root, &core.Bounds{Sandbox: "off"}
	e, err := h.Resolve(t.Context(), c)
	if err != nil || e.Sandbox != "" || e.Terms != "without a sandbox" {
		t.Errorf("got %q, %q, %v", e.Sandbox, e.Terms, err)
	}
	out, exit := run(t, h, c)
	if exit.Reason != core.ReasonCPU {
		t.Errorf("got %+v, %q, want it killed for its time", exit, out)
	}
}

// What can't be had is an error that says so.
func TestBoundsRefused(t *testing.T) {
	if r := confine.Available(); r.Err() != nil || !r.Notify || !r.GetFD {
		t.Skip("NOT RUN: this kernel lacks: ", r.Missing)
	}
	root := t.TempDir()
	confined := hostnative.Config{Sandbox: hostnative.Sandbox{
		Level: hostnative.SandboxWorkspace, Required: true, Roots: []string{root}, Private: t.TempDir(),
	}}
	for _, test := range []struct {
		config hostnative.Config
		bounds core.Bounds
		reason string
	}{
		{hostnative.Config{}, core.Bounds{Sandbox: "strict"}, "no_sandbox"},
		{hostnative.Config{}, core.Bounds{Sandbox: "off", Net: []string{"example.org"}}, ""},
		{confined, core.Bounds{Sandbox: "off"}, "sandbox_required"},
		{confined, core.Bounds{Sandbox: "loose"}, "unknown_level"},
		{confined, core.Bounds{Net: []string{"http://example.org"}}, "not_a_host"},
		{confined, core.Bounds{Net: []string{"example.org"}}, "no_proxy"},
		{confined, core.Bounds{Net: make([]string, core.MaxBounds+1)}, "too_many"},
		{confined, core.Bounds{Sandbox: "workspace", Net: []string{"localhost:5432"}}, ""},
	} {
		c := line(`exit`)
		c.Cwd, c.Bounds = root, &test.bounds
		h := newHost(t, test.config)
		e, err := h.Resolve(t.Context(), c)
		invalid, _ := errors.AsType[*core.InvalidError](err)
		switch {
		case test.reason == "" && err != nil:
			t.Errorf("%+v: got %v", test.bounds, err)
		case test.reason != "" && (invalid == nil || invalid.Reason != test.reason):
			t.Errorf("%+v: got %v, want %s", test.bounds, err, test.reason)
		case test.reason != "":
			e.Command = c
			e.Path, e.Argv = "/bin/true", []string{"true"}
			if p, err := h.Start(t.Context(), e); err == nil {
				p.Close()
				t.Errorf("%+v: it starts all the same", test.bounds)
			}
		}
	}
}
