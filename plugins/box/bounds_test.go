package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestShellBounds gives the shell what would have it nest, read again or expand without end.
func TestShellBounds(t *testing.T) {
	nested := func(before, open, inside, end string) string {
		return before + strings.Repeat(open, 10_000) + inside + strings.Repeat(end, 10_000) + "\n"
	}
	aliases := "shopt -s expand_aliases\n"
	for i := range 60 {
		aliases += fmt.Sprintf("alias a%d='a%d;a%d'\n", i, i+1, i+1)
	}
	const deep = "syntax error: nested too deeply"
	for _, test := range []struct{ name, script, stderr string }{
		{"expansions", nested("echo ", "${a:-", "b", "}"), deep},
		{"quoted expansions", nested("echo ", `"${a:-`, "b", `}"`), deep},
		{"open expansions", nested("echo ", "${a:-", "b", ""), deep},
		{"substitutions", nested("echo ", "$(echo ", "b", ")"), deep},
		{"arithmetic", nested("echo ", "$((1+", "1", "))"), deep},
		{"open arithmetic", nested("echo ", "$((1+", "1", ""), deep},
		{"brackets in arithmetic", nested("echo $((", "(1+", "1", ")") + "))", deep},
		{"signs", nested("echo $((", "- ", "1", "") + "))", deep},
		{"choices", nested("echo $((", "1?", "1", ":1") + "))", deep},
		{"elements", nested("echo ", "${a[", "1", "]}"), deep},
		{"groups", nested("", "{ ", ":;", " }"), deep},
		{"subshells", nested("", "( ", ":", " )"), deep},
		{"ifs", nested("", "if :; then ", ":", "; fi"), deep},
		{"tests", nested("[[ ", "( ", "a", " )") + "]]", deep},
		{"some open arithmetic", "echo " + strings.Repeat("$((", 30) + "1\n", "syntax error: too much to read again"},
		{"arithmetic that is none", "echo " + strings.Repeat("$((1 x ", 40) + strings.Repeat(" ))", 40) + "\n", "syntax error in expression"},
		{"aliases", aliases + "a0\n", "syntax error: the text of aliases is too long"},
		{"an open document", "cat <<-E && exit 3", "warning: here-document at line 1 delimited by end-of-file (wanted `E')"},
		{"a long line", "echo '" + strings.Repeat("x", 1<<20), "unexpected EOF while looking for matching `''"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if stderr, _ := boundedShell(t, test.script); !strings.Contains(stderr, test.stderr) {
				t.Errorf("got %.300q, want %q", stderr, test.stderr)
			}
		})
	}
}

// TestShellMutated has the shell parse lines of the recorded cases into which mistakes were made.
// It may refuse them.
func TestShellMutated(t *testing.T) {
	files, err := filepath.Glob("testdata/cases/shell*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var lines []string
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, strings.Split(string(b), "\n")...)
	}
	pieces := strings.Fields("$(( )) ${ } $( ) [[ ]] { (( if fi do done case esac in ;; | && & <<E <<- <<< \" ' ` \\ # % := @ [ ] = $' $[ <( ${x[ ${!x \n \x00 \xff é")
	random := rand.New(rand.NewPCG(1, 2))
	for range 150 {
		line := lines[random.IntN(len(lines))]
		for range 1 + random.IntN(4) {
			at, end := random.IntN(len(line)+1), random.IntN(len(line)+1)
			switch piece := pieces[random.IntN(len(pieces))]; {
			case at < end && random.IntN(3) == 0:
				line = line[:at] + line[end:]
			case at < end && random.IntN(3) == 0:
				line = line[:at] + strings.Repeat(line[at:min(end, at+20)], 20) + line[at:]
			default:
				line = line[:at] + piece + line[at:]
			}
		}
		if stderr, status := boundedShell(t, "set -n\n"+line); status != 0 && status != 2 || strings.Contains(stderr, "goroutine") {
			t.Errorf("%q: status %d, %.500s", line, status, stderr)
		}
	}
}

// TestEndless gives commands that keep what they read an input without an end: each says so in one
// line, and the shell goes on.
func TestEndless(t *testing.T) {
	if testing.Short() {
		t.Skip("keeps as much as a command may")
	}
	// To collect seldom halves the time, and changes nothing of what is kept.
	collector := "GOGC=400"
	if os.Getenv("TERRARIUM_LONG") == "1" {
		// In the sandbox it collects all the time towards the end, too.
		collector = "GOMEMLIMIT=384MiB"
	}
	const line = `tr '\0' x < /dev/zero | `
	for _, test := range []struct{ line, want string }{
		{line + "fold", "fold: -: memory exhausted"},
		{line + "grep y", "grep: (standard input): memory exhausted"},
		{line + "jq -R .", "parse error: value is too large"},
		{line + "xargs -d '\\n'", "xargs: memory exhausted"},
		{"yes | sort", "sort: read failed: -: memory exhausted"},
		{"yes | tac", "tac: -: read error: memory exhausted"},
		{"yes | sed H", "sed: memory exhausted"},
		{"yes | awk '{ a[NR] }'", "awk: memory exhausted"},
		{"x=$(yes)", "bash: line 1: command substitution: memory exhausted"},
		{"mapfile a < <(yes)", "bash: line 1: mapfile: memory exhausted"},
	} {
		t.Run(test.line, func(t *testing.T) {
			t.Parallel()
			box, err := patchedBox()
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			var stderr bytes.Buffer
			cmd := exec.CommandContext(ctx, box)
			cmd.Args = []string{"bash", "-c", test.line + " >/dev/null; echo goes on >&2"}
			cmd.Dir, cmd.Env, cmd.Stderr = t.TempDir(), []string{collector}, &stderr
			if err := cmd.Run(); err != nil {
				t.Error(err)
			}
			if got, want := stderr.String(), test.want+"\ngoes on\n"; got != want {
				t.Errorf("got %.300q, want %q", got, want)
			}
		})
	}
}

// TestReadEnds reads a line without an end, from what never lets its reader wait.
func TestReadEnds(t *testing.T) {
	const script = `read -t 1 x </dev/zero; echo $? >&2; timeout 1 sh -c 'read x </dev/zero'; echo $? >&2`
	if stderr, _ := boundedShell(t, script); stderr != "142\n124\n" {
		t.Errorf("got %q, want 142 and 124", stderr)
	}
}

// boundedShell runs a script, which is to end soon.
func boundedShell(t *testing.T, script string) (stderr string, status int) {
	t.Helper()
	box, err := patchedBox()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), caseLimit)
	defer cancel()
	var errors bytes.Buffer
	cmd := exec.CommandContext(ctx, box)
	cmd.Args = []string{"bash"}
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stderr = t.TempDir(), []string{"GOMEMLIMIT=1GiB"}, strings.NewReader(script), &errors
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	if ctx.Err() != nil {
		t.Errorf("takes too long: %.300q", script)
	}
	return errors.String(), cmd.ProcessState.ExitCode()
}
