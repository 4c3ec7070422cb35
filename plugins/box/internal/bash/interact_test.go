package bash

import (
	"bytes"
	"os"
	"testing"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

func TestInteract(t *testing.T) {
	for _, test := range []struct {
		name, typed    string
		environ        []string
		stdout, stderr string
		status         int
	}{
		{"lines", "x=5\necho $x\nexit 3\n", []string{"TERM=dumb"}, "5\n", "bash-5.2$ bash-5.2$ bash-5.2$ ", 3},
		{"end of input", "echo a\n", []string{"TERM=dumb", "PS1=% "}, "a\n", "% % exit\n", 0},
		{"more lines", "if true\nthen echo b; fi\n", []string{"TERM=dumb"}, "b\n", "bash-5.2$ > bash-5.2$ exit\n", 0},
		{"a mistake", "fi\necho ok\n", []string{"TERM=dumb", "PS1=% "}, "ok\n",
			"% bash: line 1: syntax error near unexpected token `fi'\nbash: line 1: `fi'\n% % exit\n", 0},
		{"input of a command", "read line\nmine\necho $line\n", []string{"TERM=dumb", "PS1=% "}, "mine\n", "% % % exit\n", 0},
		{"marks", "false\n", []string{"TERM=xterm", "PS1=% "}, "",
			"\x1b]133;A\a% \x1b]133;B\a\x1b]133;C\a\x1b]133;D;1\a\x1b]133;A\a% \x1b]133;B\aexit\n", 1},
		{"marks of more lines", "if false\nthen :; fi\n", []string{"TERM=xterm", "PS1=% "}, "",
			"\x1b]133;A\a% \x1b]133;B\a\x1b]133;P;k=s\a> \x1b]133;B\a\x1b]133;C\a\x1b]133;D;0\a\x1b]133;A\a% \x1b]133;B\aexit\n", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			stdin, keys, err := os.Pipe() // what is no file the interpreter would read ahead
			if err != nil {
				t.Fatal(err)
			}
			defer stdin.Close()
			if _, err := keys.WriteString(test.typed); err != nil {
				t.Fatal(err)
			}
			keys.Close()
			env := tool.Env{
				Stdin: stdin, Stdout: &stdout, Stderr: &stderr, Dir: "/", Environ: test.environ,
			}
			status := tool.Run(Commands()[0], env, []string{"bash", "-i"})
			if stdout.String() != test.stdout || status != test.status {
				t.Errorf("got %q, status %d, want %q, %d", stdout.String(), status, test.stdout, test.status)
			}
			if stderr.String() != test.stderr {
				t.Errorf("stderr: got %q, want %q", stderr.String(), test.stderr)
			}
		})
	}
}
