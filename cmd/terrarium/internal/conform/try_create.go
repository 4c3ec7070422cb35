package conform

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/terrarium-dev/terrarium/core/acp"
)

// printArgs is a script that prints each argument in angle brackets.
const printArgs = `for a in "$@"; do printf '<%s>' "$a"; done`

var createPoints = []Point{
	{
		Number: 3, Name: "create returns at once", Level: Must, Source: pageTerminals,
		Want: "the result of terminal/create has the id, and does not wait for the command",
		try: func(t *trial) {
			// It outlives the time that an answer may take.
			id := t.create(t.sh(fmt.Sprintf("printf started; sleep %d", int(t.patience.Seconds())+60)))
			t.isRunning(id)
		},
	},
	{
		Number: 4, Name: "required parameters", Level: Must, Source: pageSchema,
		Want: "a parameter that is missing or has the wrong type is answered with -32602",
		try: func(t *trial) {
			id := t.create(t.sh("printf ok"))
			t.refused(acp.MethodCreate, t.sh("printf ok").without("command"), "no command")
			t.refused(acp.MethodCreate, t.sh("printf ok").without("sessionId"), "no sessionId")
			t.refused(acp.MethodCreate, t.sh("printf ok").with("command", 3), "a number for a command")
			t.refused(acp.MethodCreate, t.sh("printf ok").with("args", "-c"), "a string for args")
			t.refused(acp.MethodOutput, t.of(id).without("terminalId"), "no terminalId")
			t.refused(acp.MethodWaitForExit, t.of(id).with("terminalId", 1), "a number for a terminalId")
			if len(t.notes) > 0 {
				t.fail("another error than -32602")
			}
		},
	},
	{
		Number: 5, Name: "args and env may be null", Level: Must, Source: pageSchema,
		Want: "args and env that are absent or null count as empty; malformed ones are refused",
		try: func(t *trial) {
			t.create(t.exec("true"))
			t.create(t.exec("true").with("args", nil).with("env", nil))
			for what, params := range map[string]fields{
				"a number in args":           t.exec("printf").with("args", []any{"a", 3}),
				"a variable without a value": t.exec("true").with("env", []fields{{"name": "A"}}),
			} {
				if a := t.ask(acp.MethodCreate, params); a.failure == nil {
					t.created(a)
					t.unclear("%s is accepted, as older schemas have it: %v", what, a)
				}
			}
		},
	},
	{
		Number: 6, Name: "args are taken literally", Level: Must, Source: pageSchema,
		Want: "each item of args is one argument, without globbing, splitting or quoting",
		try: func(t *trial) {
			args := []string{"*", "a b", "it's", `"q"`, "$HOME", "`id`", "", `\`, "a;b", "é\t€"}
			o, _ := t.run(t.sh(printArgs, args...))
			if want := "<" + strings.Join(args, "><") + ">"; strings.TrimRight(o.text, "\r\n") != want {
				t.fail("the command got %q, want %q", cut(o.text), want)
			}
		},
	},
	{
		Number: 7, Name: "shell lines", Level: Practice,
		Want: "a command with args never goes through a shell; a file with a space in its name runs; a whole shell line without args runs in a shell",
		try: func(t *trial) {
			if a := t.ask(acp.MethodCreate, t.exec("echo $((6*7))", "x")); a.failure == nil {
				id := t.created(a)
				t.wait(id)
				if o := t.output(id); strings.Contains(o.text, "42") {
					t.fail("a command with args was read by a shell: it printed %q", cut(o.text))
				}
			}
			t.runFileWithSpace()
			a := t.ask(acp.MethodCreate, t.exec("echo a | tr a b"))
			if a.failure != nil {
				t.unclear("a whole shell line as the command, as several agents send it, is refused: %v", a)
			}
			id := t.created(a)
			t.wait(id)
			if o := t.output(id); strings.TrimSpace(o.text) != "b" {
				t.unclear("the shell line \"echo a | tr a b\", as several agents send it, printed %q", cut(o.text))
			}
		},
	},
	{
		Number: 8, Name: "environment", Level: Practice,
		Want: "env is added to the client's own and overrides it, the last of a name wins; impossible names are refused",
		try: func(t *trial) {
			variable := func(name, value string) fields { return fields{"name": name, "value": value} }
			params := t.sh(`printf '%s|%s|%s' "$CONFORM_A" "${PATH:+path}" "$CONFORM_B"`).with("env", []fields{
				variable("CONFORM_A", "one two\t$HOME é"), variable("CONFORM_B", "first"), variable("CONFORM_B", "second"),
			})
			o, _ := t.run(params)
			if want := "one two\t$HOME é|path|second"; strings.TrimRight(o.text, "\r\n") != want {
				t.fail("the command saw %q, want %q", cut(o.text), want)
			}
			t.refused(acp.MethodCreate, t.exec("true").with("env", []fields{variable("", "x")}), "a variable without a name")
			t.refused(acp.MethodCreate, t.exec("true").with("env", []fields{variable("A=B", "x")}), "= in a variable's name")
			t.refused(acp.MethodCreate, t.exec("true").with("env", []fields{variable("A", "x\x00y")}), "a NUL in a variable")
		},
	},
	{
		Number: 9, Name: "cwd", Level: Must, Source: pageTerminals,
		Want: "cwd is absolute; null or absent is the session's; one that is not there is an error at create",
		try: func(t *trial) {
			if t.client.cwd != "" {
				for _, params := range []fields{t.sh("pwd -P"), t.sh("pwd -P").with("cwd", nil)} {
					o, _ := t.run(params)
					got := strings.TrimSpace(o.text)
					if want, err := filepath.EvalSymlinks(t.client.cwd); got != t.client.cwd && (err != nil || got != want) {
						t.fail("without a cwd the command runs in %q, want the session's, %q", cut(got), cut(t.client.cwd))
					}
				}
			}
			dir := cmp.Or(t.round.folder, "/")
			o, _ := t.run(t.sh("pwd -P").with("cwd", dir))
			if want, err := filepath.EvalSymlinks(dir); err == nil && o.exit != nil && strings.TrimSpace(o.text) != want {
				t.fail("with the cwd %s the command runs in %q", dir, cut(strings.TrimSpace(o.text)))
			}
			t.refused(acp.MethodCreate, t.sh("pwd").with("cwd", "."), "a relative cwd")
			t.refused(acp.MethodCreate, t.sh("pwd").with("cwd", "/nonexistent/conform"), "a cwd that is not there")
		},
	},
	{
		Number: 10, Name: "cwd outside of the session", Level: Should, Source: pageSession,
		Want: "commands run in the directories of the session only",
		try: func(t *trial) {
			a := t.ask(acp.MethodCreate, t.sh("pwd").with("cwd", "/"))
			if a.failure == nil {
				t.created(a)
				t.unclear("a command runs in /, which is outside of %s: a matter of the client's policy", clip(t.client.cwd))
			}
		},
	},
	{
		Number: 44, Name: "a command that is not there", Level: Practice, Source: pageTerminals,
		Want: "an error at create, or else a terminal that ends: whoever waits is told",
		try: func(t *trial) {
			a := t.ask(acp.MethodCreate, t.exec("/nonexistent/conform", "x"))
			if a.failure != nil {
				return
			}
			e := t.wait(t.created(a))
			if e.code != nil && *e.code == 0 {
				t.fail("a command that is not there has succeeded: %v", e)
			}
			t.note("create succeeds, and the terminal ends with %v", e)
		},
	},
	{
		Number: 45, Name: "no input", Level: Practice, Source: pageTerminals,
		Want: "a command that reads its input meets the end of it at once",
		try: func(t *trial) {
			o, e := t.run(t.sh("cat; printf end"))
			if !strings.HasSuffix(strings.TrimRight(o.text, "\r\n"), "end") {
				t.fail("\"cat; printf end\" printed %q and ended with %v", cut(o.text), e)
			}
		},
	},
}

// runFileWithSpace runs a file by its name alone, which has a space in it.
func (t *trial) runFileWithSpace() {
	name := filepath.Join(t.round.folder, "a tool")
	if t.round.folder == "" || os.WriteFile(name, []byte("#!/bin/sh\nprintf ran\n"), 0o700) != nil {
		t.note("no file with a space in its name could be made")
		return
	}
	if o, _ := t.run(t.sh(`cat "$1"`, name)); !strings.Contains(o.text, "printf ran") {
		t.note("the client's commands don't see our files, so none with a space in its name was tried")
		return
	}
	a := t.ask(acp.MethodCreate, t.exec(name))
	if a.failure != nil {
		t.fail("an executable file with a space in its name does not run: %v", a)
	}
	id := t.created(a)
	t.wait(id)
	if o := t.output(id); strings.TrimSpace(o.text) != "ran" {
		t.fail("an executable file with a space in its name printed %q, want \"ran\"", cut(o.text))
	}
}
