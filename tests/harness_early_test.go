package tests

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// marking has bash set the marks of OSC 133, as the integrations of terminals do.
const marking = `PS1='\[\e]133;A\a\]$ \[\e]133;B\a\]'
PS2='\[\e]133;P;k=s\a\]> '
PS0='\[\e]133;C\a\]'
PROMPT_COMMAND='printf "\e]133;D;%s\a" $?'
`

// TestHarnessEarly: an agent types into bash what is more than one line, and
// must not wait longer than for what comes of it, nor see less. The waits would
// be 60 s each.
func TestHarnessEarly(t *testing.T) {
	const forever = "sleep 1000\n" // for which the wait does not end early
	type step struct{ typed, want string }
	steps := []step{
		{"cat >f <<'E'\na\nb\nE\nsleep 0.3; echo $(wc -l <f) lines\n", "2 lines\n"},
		{"for i in 1 2; do\nsleep 0.2\necho got $i\ndone\n", "\ngot 2\n"},
		{"echo one \\\n  two; sleep 0.3; echo last\n", "\nlast\n"},
		{"sleep 0.3\nsleep 0.1\necho $((40 + 2))\n", "42\n"},
		{"echo 'not whole\n", "\n>"},
		{"now it is'; sleep 0.3; echo done\n", "\ndone\n"},
		{"echo 'not wanted\n", "\n>"},
		{"C-c", "^C\n"},
		{forever, forever},
		{"C-c", "\n^C\n"},
		{"echo $?\n", "\n130\n"},
	}
	for _, test := range []struct {
		name  string
		flags func(dir string) []string
	}{
		{"native", func(string) []string { return []string{"--env", "HOME=/var/empty"} }},
		{"marks", func(dir string) []string {
			if err := os.WriteFile(filepath.Join(dir, ".bash_profile"), []byte(marking), 0o666); err != nil {
				t.Fatal(err)
			}
			return []string{"--env", "HOME=" + dir}
		}},
		{"sandbox", func(dir string) []string { return []string{"--host", "wasm", "--mount", dir} }},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.name == "sandbox" {
				needBox(t)
			}
			// do types it all, and waits so many seconds for the step that takes all of its wait.
			do := func(wait float64) []turn {
				dir, out := t.TempDir(), t.TempDir()
				var answers bytes.Buffer
				for _, s := range steps {
					seconds := 60.0
					if s.typed == forever {
						seconds = wait
					}
					fmt.Fprintf(&answers, `{"analysis":"","plan":"","commands":[{"keystrokes":%q,"duration":%v}]}`+"\n", s.typed, seconds)
				}
				for range 2 {
					answers.WriteString(`{"analysis":"","plan":"","commands":[],"task_complete":true}` + "\n")
				}
				script, transcript := filepath.Join(out, "answers"), filepath.Join(out, "transcript")
				if err := os.WriteFile(script, answers.Bytes(), 0o666); err != nil {
					t.Fatal(err)
				}
				args := append([]string{"harness", "--instruction", "type", "--cwd", dir, "--transcript", transcript}, test.flags(dir)...)
				cmd := exec.Command("terrarium", append(args, "--", "cat", script)...)
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%v: %v\n%s", cmd, err, out)
				}
				return readTranscript(t, transcript)
			}
			turns := do(0.5)
			at := 1 + slices.IndexFunc(steps, func(s step) bool { return s.typed == forever })
			if !strings.Contains(turns[at].Screen+"\n", forever) {
				turns = do(30) // a busy machine does not show it so soon
			}
			for i, s := range steps {
				seen := turns[i+1].Screen + "\n"
				if !strings.Contains(seen, s.want) {
					t.Errorf("after %q: got\n%s\nwant %q in it", s.typed, seen, s.want)
				}
				if took := turns[i+1].Asked.Sub(turns[i].Answered); took >= 60*time.Second {
					t.Errorf("after %q: the wait has not ended early; the screen:\n%s", s.typed, seen)
				}
			}
		})
	}
}

// A turn is a line of a transcript.
type turn struct {
	Screen          string
	Asked, Answered time.Time
}

func readTranscript(t *testing.T, name string) (turns []turn) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var line turn
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatalf("%v: %s", err, lines.Bytes())
		}
		turns = append(turns, line)
	}
	return turns
}
