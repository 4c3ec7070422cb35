package main

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"
)

func TestInteract(t *testing.T) {
	box, err := patchedBox()
	if err != nil {
		t.Fatal(err)
	}
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
			"% bash: syntax error near unexpected token `fi'\n% % exit\n", 0},
		{"input of a command", "read line\nmine\necho $line\n", []string{"TERM=dumb", "PS1=% "}, "mine\n", "% % % exit\n", 0},
		{"marks", "false\n", []string{"TERM=xterm", "PS1=% "}, "",
			"\x1b]133;A\a% \x1b]133;B\a\x1b]133;C\a\x1b]133;D;1\a\x1b]133;A\a% \x1b]133;B\aexit\n", 1},
		{"marks of more lines", "if false\nthen :; fi\n", []string{"TERM=xterm", "PS1=% "}, "",
			"\x1b]133;A\a% \x1b]133;B\a\x1b]133;P;k=s\a> \x1b]133;B\a\x1b]133;C\a\x1b]133;D;0\a\x1b]133;A\a% \x1b]133;B\aexit\n", 0},
		{"prompts", "PS1='\\W|' PS2='\\s:'\ntrue &&\n:\n", []string{"TERM=dumb", "PWD=/", "PS1="}, "", "/|bash:/|exit\n", 0},
		{"before each prompt", "PROMPT_COMMAND='echo $?'\n(exit 3)\n", []string{"TERM=dumb", "PS1="}, "0\n3\n", "exit\n", 3},
		{"history", " a=1\nfor i in 1\ndo\n:\ndone\nfc -l\nfi\nhistory 2 | tail -1\n", []string{"TERM=dumb", "PS1=", "PS2=", "HISTFILE="},
			"1\t  a=1\n2\t for i in 1; do :; done\n    5  history 2 | tail -1\n", "bash: syntax error near unexpected token `fi'\nexit\n", 0},
		{"unset", "set -u; echo $x; echo no\necho ok; nosuch\n", []string{"TERM=dumb", "PS1="}, "ok\n", "bash: x: unbound variable\nbash: nosuch: command not found\nexit\n", 127},
		{"aliases", "alias e='echo one;'\ne echo two\n", []string{"TERM=dumb", "PS1=% "}, "one\ntwo\n", "% % % exit\n", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			cmd := exec.Command(box)
			cmd.Args = []string{"bash", "-i"}
			cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = "/", test.environ, strings.NewReader(test.typed), &stdout, &stderr
			if err := cmd.Run(); cmd.ProcessState == nil {
				t.Fatal(err)
			}
			if got := exitStatus(cmd.ProcessState); got != test.status || stdout.String() != test.stdout {
				t.Errorf("got status %d and %q, want %d and %q", got, &stdout, test.status, test.stdout)
			}
			if stderr.String() != test.stderr {
				t.Errorf("stderr: got %q, want %q", &stderr, test.stderr)
			}
		})
	}
}
