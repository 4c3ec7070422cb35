//go:build linux || darwin

package hostnative_test

import (
	"io"
	"os"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostnative"
)

// A command on pipes writes to Config.Stdout itself, and Output has what is left.
func TestStdout(t *testing.T) {
	for _, test := range []struct {
		name           string
		mode           func(core.Command) core.Command
		stdout, output string
	}{
		{"two streams", func(c core.Command) core.Command { return c }, "1\n3\n", "2\n"},
		{"one stream", func(c core.Command) core.Command { c.OneStream = true; return c }, "1\n2\n3\n", ""},
		{"pty", onPty, "", "1\n2\n3\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			defer w.Close()
			h := newHost(t, hostnative.Config{Stdout: w})
			output, exit := run(t, h, test.mode(line(`echo 1; echo 2 >&2; echo 3`)))
			if output != test.output || exit.Status != (core.ExitStatus{}) {
				t.Errorf("Output: got %q, and it ended with %v, want %q", output, exit.Status, test.output)
			}
			w.Close() // it was left open, and nobody else has it
			r.SetReadDeadline(time.Now().Add(patience))
			got, err := io.ReadAll(r)
			if string(got) != test.stdout || err != nil {
				t.Errorf("Stdout: got %q, %v, want %q", got, err, test.stdout)
			}
		})
	}
}
