package policy_test

import (
	"slices"
	"strings"
	"testing"
	"time"

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
// Medians of single runs are compared, for a busy machine stretches some of them.
func BenchmarkDecide(b *testing.B) {
	p := starter(b)
	var decisions, parses []time.Duration
	for b.Loop() {
		before := time.Now()
		for _, s := range ordinary {
			p.Decide(line(s), policy.Context{})
		}
		decided := time.Now()
		for _, s := range ordinary {
			if _, err := syntax.NewParser().Parse(strings.NewReader(s), ""); err != nil {
				b.Fatal(err)
			}
		}
		decisions, parses = append(decisions, decided.Sub(before)), append(parses, time.Since(decided))
	}
	median := func(all []time.Duration) float64 { slices.Sort(all); return float64(all[len(all)/2]) }
	b.ReportMetric(median(decisions)/float64(len(ordinary)), "ns/decision")
	b.ReportMetric(median(decisions)/median(parses), "parses")
}
