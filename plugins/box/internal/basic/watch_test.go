package basic_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/basic"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// TestWatch lets a command be watched that writes something else each time, until it fails at the
// third.
func TestWatch(t *testing.T) {
	const clear = "\x1b[H\x1b[2J"
	for _, test := range []struct {
		name   string
		args   []string
		want   string
		status int
	}{
		{"ends with a change", []string{"-g"}, clear + "frame 1\n" + clear + "frame 2\n", 0},
		{"ends with an error", []string{"-e"}, clear + "frame 1\n" + clear + "frame 2\n" + clear + "frame 3\n", 8},
		{"is interrupted", nil, clear + "frame 1\n" + clear + "frame 2\n" + clear + "frame 3\n", 143},
		{"shows differences", []string{"-d", "-g"}, clear + "frame 1\n" + clear + "frame \x1b[7m2\x1b[27m\n", 0},
		{"beeps", []string{"-be"}, clear + "frame 1\n" + clear + "frame 2\n" + clear + "frame 3\n\a", 8},
	} {
		t.Run(test.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			runs := 0
			var out, stderr bytes.Buffer
			env := tool.Env{Context: ctx, Stdin: &bytes.Buffer{}, Stdout: &out, Stderr: &stderr}
			env.Exec = func(child tool.Env, args []string) int {
				runs++
				fmt.Fprintln(child.Stdout, "frame", runs)
				if runs == 3 && test.status > 128 {
					cancel()
				}
				return runs / 3
			}
			status := tool.Run(command(t, "watch"), env, append(append([]string{"watch", "-t", "-n0"}, test.args...), "true"))
			if status != test.status || stderr.Len() > 0 {
				t.Errorf("got status %d (%s), want %d", status, &stderr, test.status)
			}
			if out.String() != test.want && test.status < 128 {
				t.Errorf("got %q, want %q", &out, test.want)
			}
		})
	}
}

func command(t *testing.T, name string) tool.Command {
	t.Helper()
	for _, c := range basic.Commands() {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("no command %s", name)
	return tool.Command{}
}
