package demo

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"
)

// A scene is a shell line in the sandbox, and what must be in its output.
type scene struct {
	line string
	want string
	args []string // more flags
}

// scenes are real work on the files of this module, and attempts to get out or to go on for ever.
var scenes = []scene{
	{line: `grep -rh "^func " core | wc -l`, want: "\n"},
	{line: `cat /etc/passwd`, want: "No such file or directory"},
	{line: `rm -f README.md`, want: "Read-only file system"},
	{line: `while :; do :; done`, want: "out of fuel", args: []string{"--fuel", "2G"}},
}

// showSandbox plays what agents type inside the sandbox, with this folder handed over to be read.
func showSandbox(ctx context.Context, binary string, w io.Writer) error {
	fmt.Fprintln(w, "\nIn the sandbox an agent sees this folder, to be read, and nothing else:")
	for _, s := range scenes {
		args := append([]string{"run", "--host", "wasm", "--mount", ".:ro"}, s.args...)
		// How it ended is in what it printed.
		out, _ := exec.CommandContext(ctx, binary, append(args, s.line)...).CombinedOutput()
		indented(w, fmt.Sprintf("$ terrarium %s '%s'", strings.Join(args, " "), s.line))
		for line := range strings.Lines(string(out)) {
			indented(w, strings.TrimSuffix(line, "\n"))
		}
		if ctx.Err() == context.DeadlineExceeded {
			return fmt.Errorf("in the sandbox: %s: not done within %v; the machine may be busy: try again", s.line, patience)
		}
		if !strings.Contains(string(out), s.want) {
			return fmt.Errorf("in the sandbox: %s: got\n%s\nwant %q in it", s.line, out, s.want)
		}
	}
	return nil
}
