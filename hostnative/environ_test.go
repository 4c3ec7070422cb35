//go:build linux || darwin

package hostnative_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostnative"
)

func TestEnvironment(t *testing.T) {
	base := []string{
		"HOME=/old", "TERM=screen", "PAGER=most", "COLUMNS=7", "LINES=7", "HOME=/home", "PWD=/lie", "EMPTY=", "broken", "=x",
	}
	tame := []string{
		"DEBIAN_FRONTEND=noninteractive", "GH_PROMPT_DISABLED=1", "GIT_PAGER=cat", "GIT_TERMINAL_PROMPT=0",
		"LESS=FRX", "MANPAGER=cat", "PAGER=cat", "SYSTEMD_PAGER=cat",
	}
	common := []string{"EMPTY=", "HOME=/home", "PWD=/"}
	for _, test := range []struct {
		name             string
		pty, interactive bool
		base             []string
		env              []core.EnvVariable
		want             []string
	}{
		{name: "pipes", base: base, want: slices.Concat(common, tame, []string{"TERM=dumb"})},
		{name: "pty", pty: true, base: base, want: slices.Concat(common, tame, []string{"TERM=xterm-256color"})},
		{name: "interactive", pty: true, interactive: true, base: base,
			want: slices.Concat(common, []string{"PAGER=most", "TERM=screen"})},
		{name: "interactive without TERM", pty: true, interactive: true, base: []string{"TERM="},
			want: []string{"PWD=/", "TERM=xterm-256color"}},
		{name: "the command's own wins", interactive: true, base: base,
			env: []core.EnvVariable{
				{Name: "PAGER", Value: "less"}, {Name: "TERM", Value: "a"}, {Name: "TERM", Value: "vt100"},
				{Name: "COLUMNS", Value: "9"}, {Name: "PWD", Value: "/mine"}, {Name: "HOME", Value: ""},
			},
			want: []string{"COLUMNS=9", "EMPTY=", "HOME=", "PAGER=less", "PWD=/mine", "TERM=vt100"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := core.Command{Command: "/usr/bin/env", Env: test.env, Cwd: "/", Pty: test.pty, Interactive: test.interactive}
			out, _ := run(t, newHost(t, hostnative.Config{Env: test.base}), c)
			got := strings.Fields(out) // no value here has a space
			got = slices.DeleteFunc(got, func(kv string) bool { return strings.HasPrefix(kv, "TERRARIUM_ID=") })
			slices.Sort(got)
			slices.Sort(test.want)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("environment (-want +got):\n%s", diff)
			}
		})
	}
}
