package main

import (
	"strings"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/plugins"
)

const (
	prompt      = "bash-5.2$ "
	ctrlC       = "\x03"
	interrupted = "^C\n" + prompt
)

// TestInterrupt types ^C while something runs in the shell's foreground, which ends as at a terminal of the system's.
// Each line first prints a, so that it is known to run.
func TestInterrupt(t *testing.T) {
	if testing.Short() || raceEnabled() {
		t.Skip("compiles a module of 14 MB for each engine")
	}
	for _, on := range backends {
		t.Run(on.name, func(t *testing.T) {
			other := &hostwasm.Module{Name: "other", Load: plugins.Modules()[0].Load} // what runs it is a process of its own
			s := openShell(t, newSandboxBeside(t, on, map[string]*hostwasm.Module{"cksum": other}))
			for _, line := range []string{
				"echo a; sleep 1000; echo b",
				"echo a; cat; echo b",
				"echo a; read x; echo b",
				"echo a; while :; do :; done",
				"echo a; while ((1)); do ((i++)); done",
				"echo a; yes >/dev/null",
				"echo a; cat /dev/zero | sort",
				"echo a; cat | sort",
				"echo a; awk 'BEGIN { while (1); }'",
				"echo a; jq -n 'last(range(1e12))'",
				"echo a; sed ':a;ba' <<<x",
				"echo a; cksum",
				"echo a; find /bin | while read -r f; do sleep 1000; done",
				"f() { echo a; sleep 1000; }; f; f",
				"(echo a; sleep 1000); echo b",
				"x=$(echo a >&2; sleep 1000)",
				"bash -c 'echo a; sleep 1000; echo b'; echo c",
				"echo a; timeout 1000 sleep 1000",
			} {
				s.types(line+"\r", line+"\na\n")
				s.types(ctrlC, interrupted)
				s.types("echo $?\r", "echo $?\n130\n"+prompt)
			}
		})
	}
}

// TestInterruptedPrompt types ^C where the shell reads, and more besides what TestInterrupt does.
func TestInterruptedPrompt(t *testing.T) {
	if testing.Short() || raceEnabled() {
		t.Skip("compiles a module of 14 MB for each engine")
	}
	type step struct{ typed, want string }
	for _, on := range backends {
		h := newSandboxOn(t, on)
		for _, test := range []struct {
			name  string
			steps []step
		}{
			{"a line", []step{{"echo no", "echo no"}, {ctrlC, interrupted}, {"echo $?\r", "echo $?\n130\n" + prompt}}},
			{"a command of two lines", []step{{"if true\r", "if true\n> "}, {ctrlC, interrupted}, {"echo a\r", "echo a\na\n" + prompt}}},
			{"what was typed ahead", []step{
				{"echo a; sleep 1000\r", "echo a; sleep 1000\na\n"}, {"echo no\recho n", "echo no\necho n"}, {ctrlC, interrupted},
				{"echo $?\r", "echo $?\n130\n" + prompt},
			}},
			{"cat again", []step{
				{"cat\r", "cat\n"}, {"a\rb", "a\nba\n"}, {ctrlC, interrupted}, {"cat\r", "cat\n"}, {"c\r", "c\nc\n"}, {"\x04", prompt},
			}},
			{"a shell in the shell", []step{
				{"bash\r", "bash\n" + prompt}, {"echo a; cat\r", "echo a; cat\na\n"}, {ctrlC, interrupted}, {ctrlC, interrupted},
				{"echo $SHLVL; exit 3\r", "echo $SHLVL; exit 3\n2\n" + prompt}, {"echo $?\r", "echo $?\n3\n" + prompt},
				{"sleep 1000\r", "sleep 1000\n"}, {ctrlC, interrupted},
			}},
			{"a trap", []step{
				{"trap 'echo trapped' INT\r", "trap 'echo trapped' INT\n" + prompt}, {ctrlC, "^C\ntrapped\n" + prompt},
				{"trap - INT\r", "trap - INT\n" + prompt}, {ctrlC, interrupted},
			}},
			{"names in columns", []step{
				{"cd /tmp; mkdir n; cd n; touch 'a b' c\r", "cd /tmp; mkdir n; cd n; touch 'a b' c\n" + prompt},
				{"ls\r", "ls\n'a b'   c\n" + prompt}, {"ls | cat\r", "ls | cat\na b\nc\n" + prompt},
			}},
			{"in the background", []step{
				{"sleep 1000 & sleep 1000 & echo a; sleep 1000\r", "sleep 1000 & sleep 1000 & echo a; sleep 1000\na\n"}, {ctrlC, interrupted},
				{"kill %1 %2 && echo b\r", "kill %1 %2 && echo b\nb\n" + prompt},
			}},
			{"a loop in the background", []step{
				{"while :; do :; done & echo a\r", "while :; do :; done & echo a\na\n" + prompt}, {ctrlC, interrupted},
				{"kill $!\r", "kill $!\n" + prompt},
			}},
		} {
			t.Run(on.name+"/"+test.name, func(t *testing.T) {
				s := openShell(t, h)
				for _, step := range test.steps {
					s.types(step.typed, step.want)
				}
			})
		}
	}
}

// A shellAt is a shell at a terminal.
type shellAt struct {
	t      *testing.T
	p      driver.Process
	screen chan string
}

// openShell starts a shell, until the test ends, and awaits its prompt.
func openShell(t *testing.T, h *hostwasm.Host) *shellAt {
	t.Helper()
	dir := t.TempDir()
	e, err := h.Resolve(t.Context(), core.Command{
		Command: "bash", Env: []core.EnvVariable{{Name: "TERM", Value: "dumb"}}, Cwd: dir, Roots: []string{dir}, Pty: true, Interactive: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	p, err := h.Start(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	s := &shellAt{t: t, p: p, screen: make(chan string, 1<<10)}
	read := make(chan struct{})
	go func() { // ends with the shell
		defer close(read)
		defer close(s.screen)
		p.Output(func(_ uint8, b []byte) { s.screen <- strings.ReplaceAll(string(b), "\r", "") })
	}()
	t.Cleanup(func() {
		p.Close()
		<-read
	})
	s.types("", prompt)
	return s
}

// types types keys, and awaits what is printed then: want, and nothing else.
func (s *shellAt) types(keys, want string) {
	s.t.Helper()
	if _, err := s.p.Write([]byte(keys)); err != nil {
		s.t.Fatal(err)
	}
	got, overdue := "", time.After(20*time.Second)
	for len(got) < len(want) {
		select {
		case b, ok := <-s.screen:
			if !ok {
				s.t.Fatalf("typed %q: got %q and then the end, want %q", keys, got, want)
			}
			got += b
		case <-overdue:
			s.t.Fatalf("typed %q: got %q and no more, want %q", keys, got, want)
		}
	}
	if got != want {
		s.t.Fatalf("typed %q: got %q, want %q", keys, got, want)
	}
}
