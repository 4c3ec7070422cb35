package policy_test

import (
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"github.com/terrarium-dev/terrarium/core/policy"
)

// rewrites are ways to write a line so that a shell runs the same commands.
var rewrites = []func(line string) string{
	func(s string) string { return "sh -c " + quoted(s) },
	func(s string) string { return "nohup bash -c " + quoted(s) },
	func(s string) string { return "env LANG=C timeout 5 sh -c " + quoted(s) },
	func(s string) string { return "eval " + quoted(s) },
	func(s string) string { return "ls\n" + s },
	func(s string) string { return "ls && (" + s + "\n)" },
	func(s string) string { return "{ " + s + "\n} | cat" },
	func(s string) string { return "echo \"$(" + s + "\n)\"" },
	func(s string) string { return "if true; then " + s + "\nfi" },
	func(s string) string { return "for i in a; do " + s + "\ndone" },
	func(s string) string { return "cat <(" + s + "\n)" },
	func(s string) string { return "! { " + s + "\n}" },
}

func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// FuzzRewritten: a line that is denied or asked about is not allowed when it is written otherwise.
func FuzzRewritten(f *testing.F) {
	for _, list := range evasions {
		for i, s := range list {
			if len(s) < 200 {
				f.Add(s, []byte{byte(i), byte(i / 3)})
			}
		}
	}
	p := starter(f)
	f.Fuzz(func(t *testing.T, s string, how []byte) {
		// What can't be parsed may be parsed with something around it; a backslash takes what
		// follows.
		_, err := syntax.NewParser().Parse(strings.NewReader(s), "")
		if err != nil || strings.HasSuffix(s, `\`) || strings.ContainsRune(s, 0) {
			return
		}
		v := p.Decide(line(s), policy.Context{})
		if len(v.Commands) == 0 {
			return // a comment, or an assignment, which nothing follows
		}
		again := s
		for _, h := range how[:min(len(how), 4)] {
			again = rewrites[int(h)%len(rewrites)](again)
		}
		if w := p.Decide(line(again), policy.Context{}); v.Decision != policy.Allow && w.Decision == policy.Allow {
			t.Errorf("%q: %v (%s)\n%q: allowed", s, v.Decision, v.Reason, again)
		}
	})
}
