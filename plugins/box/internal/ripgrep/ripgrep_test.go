package ripgrep

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/regex"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// What would change the answer and is not there is refused, not left out.
func TestRefused(t *testing.T) {
	for _, option := range []string{"-P", "-z", "--json", "--stats", "--ignore-file=x", "--encoding=latin1", "--engine=pcre2"} {
		var stdout, stderr bytes.Buffer
		status := tool.Run(Commands()[0], tool.Env{Stdin: strings.NewReader("a\n"), Stdout: &stdout, Stderr: &stderr, Dir: t.TempDir()},
			[]string{"rg", option, "a", "-"})
		if status != 2 || stdout.Len() > 0 || strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("rg %s: got status %d, %q and %q, want 2 and a line of stderr", option, status, &stdout, &stderr)
		}
	}
}

// FuzzTranslate checks that what is not refused is a pattern for our own expressions, or is refused
// by them, and that a complaint points into the pattern.
func FuzzTranslate(f *testing.F) {
	for _, p := range []string{`a**?`, `[^[`, `(?i)\x{41}|\p{L}{2,3}`, `(?P<n>a)`, "é{", `[a-\d]`, `\`, `(?-`, strings.Repeat("(", 500)} {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, pattern string) {
		translated, err := translate(pattern)
		var fault *syntaxError
		if errors.As(err, &fault) {
			if fault.start < 0 || fault.start > len(pattern) || fault.Error() == "" {
				t.Errorf("%q: %d to %d", pattern, fault.start, fault.end)
			}
			return
		}
		regex.Compile(string(translated.out), regex.Options{Perl: true})
	})
}

// FuzzGlob checks that a glob of whatever text never fails but with an error, and answers soon.
func FuzzGlob(f *testing.F) {
	f.Add("*.{go,[!a-]x}", "main.go")
	f.Add(strings.Repeat("*a", 600), "a")
	f.Add(strings.Repeat("*a", 500), strings.Repeat("a", 255))
	f.Add("**/**/a/**", "b/a/c")
	f.Fuzz(func(t *testing.T, text, name string) {
		g, err := parseGlob(text, false)
		if err == nil && g != nil {
			g.matches(name, name, false)
		}
	})
}
