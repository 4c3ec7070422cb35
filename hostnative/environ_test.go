//go:build linux || darwin

package hostnative_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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
		"MANPAGER=cat", "PAGER=cat", "SYSTEMD_PAGER=cat",
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
			got := strings.Split(strings.TrimSuffix(strings.ReplaceAll(out, "\r", ""), "\n"), "\n")
			got = slices.DeleteFunc(got, func(kv string) bool {
				name, _, _ := strings.Cut(kv, "=")
				// TestNobodyTypes tests those.
				return slices.Contains([]string{"TERRARIUM_ID", "LESS", "VIMINIT"}, name)
			})
			slices.Sort(got)
			slices.Sort(test.want)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("environment (-want +got):\n%s", diff)
			}
		})
	}
}

// Programs that wait for keys end where nobody types, and do what they can
// without. Others do what they do everywhere.
func TestNobodyTypes(t *testing.T) {
	if testing.Short() {
		t.Skip("it is about what programs do, one after the other")
	}
	t.Parallel()
	dir := t.TempDir()
	const lines = 500
	var long strings.Builder
	for i := range lines {
		fmt.Fprintln(&long, "line", i)
	}
	for name, text := range map[string]string{
		"long": long.String(), "other": "one\ntwo\n", "swapped": "one\n", "keys": "dd:wq\r", "log": "before\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// A person's own files that have vim wait for a key, or that no longer want what we want of it.
	home := filepath.Join(dir, "home")
	if err := os.MkdirAll(filepath.Join(home, ".viminfo"), 0o700); err != nil {
		t.Fatal(err)
	}
	vimrc := "au!\naug own\nau VimEnter * call nosuch()\naug END\nau VimEnter * call nosuch()\nset more textwidth=6\n"
	if err := os.WriteFile(filepath.Join(home, ".vimrc"), []byte(vimrc), 0o600); err != nil {
		t.Fatal(err)
	}
	h := newHost(t, hostnative.Config{})
	for _, test := range []struct {
		line  string
		home  string
		want  []string // in this order
		ends  uint32   // with this status
		lines int      // of the long file that are printed
		then  string   // what the short file has
	}{
		{line: "less long", lines: lines},
		{line: "less other", want: []string{"one", "two"}},
		{line: "less long other", lines: lines, want: []string{"line 499", "one", "two"}},
		{line: "cat long | less", lines: lines},
		{line: "less +G long", want: []string{"line 499"}, lines: 23},
		{line: "less nosuch", want: []string{"No such file"}, ends: 1},
		{line: "vim long", want: []string{"nobody types"}, ends: 1},
		{line: "view +40 long", want: []string{"nobody types"}, ends: 1},
		{line: "vim long", home: home, want: []string{"nobody types"}, ends: 1},
		{line: "cat long | vim -", want: []string{"nobody types"}, ends: 1},
		{line: "vim long 2>>log >/dev/null; cat log", want: []string{"before", "nobody types"}},
		{line: "vim -c '1,100p' long", want: []string{"line 99", "nobody types"}, ends: 1},
		{line: "vim -es -c 'normal ix' -c preserve -c '!kill -9 $PPID' swapped || true", want: []string{"Killed"}},
		{line: "vim -c wq swapped", want: []string{"another vim edits this file"}, ends: 1},
		{line: "vim -c '%s/one/three/' -c wq other", home: home, then: "three\ntwo\n"},
		{line: "vim -s keys other", then: "two\n"},
		{line: "vim -es -c 1d -c wq other", then: ""},
		{line: "vim.tiny -c 'normal Ahello hello' -c wq other", home: home, then: "hello\nhello\n"},
	} {
		t.Run(test.line, func(t *testing.T) {
			program, _, _ := strings.Cut(strings.TrimPrefix(test.line, "cat long | "), " ")
			if _, err := exec.LookPath(program); err != nil {
				t.Skipf("NOT RUN: %v", err)
			}
			c := core.Command{Command: test.line, Cwd: dir, Pty: true, Rows: 24, Cols: 80}
			if test.home != "" {
				c.Env = []core.EnvVariable{{Name: "HOME", Value: test.home}}
			}
			out, exit := run(t, h, c)
			if got := exit.Status; got != (core.ExitStatus{ExitCode: test.ends}) {
				t.Errorf("got %v, want status %d; it printed %q", got, test.ends, out)
			}
			rest := out
			for _, want := range test.want {
				_, after, ok := strings.Cut(rest, want)
				if !ok {
					t.Fatalf("got %q, want %q in it", out, want)
				}
				rest = after
			}
			if got := strings.Count(out, "line "); test.want == nil && got != test.lines {
				t.Errorf("got %d lines, want %d", got, test.lines)
			}
			if (strings.Contains(test.line, " -c ") || strings.Contains(test.line, " -s ")) && strings.HasSuffix(test.line, " other") {
				if got, err := os.ReadFile(filepath.Join(dir, "other")); string(got) != test.then || err != nil {
					t.Errorf("the file has %q, %v, want %q", got, err, test.then)
				}
			}
		})
	}
}
