package policy_test

import (
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"github.com/terrarium-dev/terrarium/core/policy"
)

var ordinary = []string{
	"ls -la",
	"cd core && git status -sb && git log --oneline -20 | head -5",
	"grep -rn 'func Test' --include=*_test.go core | sort | uniq -c | sort -rn | head -20",
	"for f in a b c; do cat \"$f\" | wc -l; done; if git diff --quiet; then echo clean; else git diff --stat HEAD~1 -- core; fi",
}

// BenchmarkDecide has the parse of the same lines beside it: a decision should cost at most three.
func BenchmarkDecide(b *testing.B) {
	p := starter(b)
	b.Run("decide", func(b *testing.B) {
		for b.Loop() {
			for _, s := range ordinary {
				p.Decide(line(s), policy.Context{})
			}
		}
	})
	b.Run("parse", func(b *testing.B) {
		for b.Loop() {
			for _, s := range ordinary {
				if _, err := syntax.NewParser().Parse(strings.NewReader(s), ""); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}
