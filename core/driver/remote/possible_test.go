package remote

import (
	"testing"

	"github.com/terrarium-dev/terrarium/core"
)

// Rules go by what a host says that it has found, so the far side finds what it was asked for, or
// nothing.
func TestOtherCommand(t *testing.T) {
	for name, test := range map[string]struct {
		asked core.Command
		found found
		is    bool
	}{
		"the same":         {core.Command{Command: "rm", Args: []string{"-r", "x"}}, found{Argv: []string{"rm", "-r", "x"}, Via: core.ViaArgs}, true},
		"a file":           {core.Command{Command: "./x"}, found{Argv: []string{"./x"}, Via: core.ViaFile}, true},
		"a line":           {core.Command{Command: "rm -r x"}, found{Argv: []string{"sh", "-c", "rm -r x"}, Via: core.ViaShell}, true},
		"another command":  {core.Command{Command: "rm", Args: []string{"-r", "x"}}, found{Argv: []string{"ls", "-r", "x"}, Via: core.ViaArgs}, false},
		"other arguments":  {core.Command{Command: "rm", Args: []string{"-r", "x"}}, found{Argv: []string{"rm", "-r"}, Via: core.ViaArgs}, false},
		"another line":     {core.Command{Command: "rm -r x"}, found{Argv: []string{"sh", "-c", "ls"}, Via: core.ViaShell}, false},
		"a line alone":     {core.Command{Command: "rm -r x"}, found{Argv: []string{"rm -r x"}, Via: core.ViaShell}, false},
		"no line but args": {core.Command{Command: "rm", Args: []string{"x"}}, found{Argv: []string{"sh", "-c", "rm"}, Via: core.ViaShell}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := test.found.isOf(&test.asked); got != test.is {
				t.Errorf("got %v, want %v", got, test.is)
			}
			h, s := newFarSpeaker(t, Config{})
			resolved := make(chan error, 1)
			go func() { // ends with the answer
				_, err := h.Resolve(t.Context(), test.asked)
				resolved <- err
			}()
			answer(s, test.found)
			if err := <-resolved; (err == nil) != test.is {
				t.Errorf("Resolve: got %v, want found %v", err, test.is)
			}
		})
	}
}

// answer answers a Resolve.
func answer(s *speaker, f found) {
	var r resolve
	await(s, kindResolve, &r)
	f.Path, f.Cwd = "/bin/x", "/"
	say(s, kindResolved, &resolved{ID: r.ID, Found: f})
}
