package bench

import (
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/policy"
)

// BenchmarkDecision has a decision of the starter about a line of 200 bytes, starts /bin/true
// beside it, and reports the one as a share of the other: 5 % at most is what it should cost.
// Medians of single runs are compared, for a busy machine stretches some of them.
func BenchmarkDecision(b *testing.B) {
	f, err := policy.Parse("starter.toml", policy.Starter, policy.User)
	if err != nil {
		b.Fatal(err)
	}
	p, err := policy.New(f)
	if err != nil {
		b.Fatal(err)
	}
	const line = `cd core && grep -rn 'func Test' --include='*_test.go' driver | sort | uniq -c | sort -rn | head -20; git diff --stat HEAD~1 -- core && go test -count=1 ./core/driver/... 2>&1 | tail -20; echo "rc=$?"`
	e := &core.Exec{
		Command: core.Command{Command: line, Cwd: "/work/app", Roots: []string{"/work/app"}},
		Path:    "/bin/bash", Argv: []string{"/bin/bash", "-c", line}, Via: core.ViaShell,
	}
	if v := p.Decide(e, policy.Context{}); v.Decision != policy.Allow || len(line) < 190 || len(line) > 210 {
		b.Fatalf("%d bytes: %v (%s)", len(line), v.Decision, v.Reason)
	}
	var decisions, starts []time.Duration
	for b.Loop() {
		before := time.Now()
		p.Decide(e, policy.Context{})
		decided := time.Now()
		if err := exec.Command("/bin/true").Run(); err != nil {
			b.Fatal(err)
		}
		decisions, starts = append(decisions, decided.Sub(before)), append(starts, time.Since(decided))
	}
	median := func(all []time.Duration) float64 { slices.Sort(all); return float64(all[len(all)/2]) }
	d, s := median(decisions), median(starts)
	b.ReportMetric(d, "ns/decision")
	b.ReportMetric(s, "ns/start")
	b.ReportMetric(100*d/s, "%ofstart")
}
