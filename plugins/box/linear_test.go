package main

import (
	"strconv"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
)

// TestLinear has what keeps something for each line, element or call do twice as much: it may take little more than twice
// the fuel, which is the same on every machine. What takes four times as much is quadratic, and a sandbox's time is over
// before it has done what takes Debian's tools a second. N is the number of steps.
func TestLinear(t *testing.T) {
	if testing.Short() || raceEnabled() {
		t.Skip("runs the box in the sandbox")
	}
	h := newSandbox(t)
	fuel := func(line string, n int) float64 {
		line = strings.ReplaceAll(line, "N", strconv.Itoa(n))
		_, stderr, exit := runCommand(t, h, core.Command{Command: "bash", Args: []string{"-c", line}})
		if exit.Status.ExitCode != 0 || exit.Reason != core.ReasonNone {
			t.Errorf("%s: got %v %q %.200s", line, exit.Status, exit.Reason, stderr)
		}
		return float64(exit.Usage.Fuel)
	}
	start := fuel(":", 0)
	for _, test := range linear {
		const most = 3 // with what n log n has on top, and the collector of garbage
		few, many := fuel(test.line, test.n)-start, fuel(test.line, 2*test.n)-start
		if ratio := many / few; ratio > most {
			t.Errorf("%s: %.0f million units of fuel for %d steps, and %.2f times as much for %d, want at most %d",
				test.line, few/1e6, test.n, ratio, 2*test.n, most)
		}
	}
}

var linear = []struct {
	n    int
	line string
}{
	{2000, `for ((i=0; i<N; i++)); do a+=(x); done`},
	{2000, `for ((i=0; i<N; i++)); do a[i]=x; done`},
	{2000, `for ((i=0; i<N; i++)); do s+=x; done`},
	{2000, `declare -A m; for ((i=0; i<N; i++)); do m[$i]=x; : ${m[$i]} ${#m[@]}; done`},
	{2000, `declare -A m; for ((i=0; i<N; i++)); do m+=([$i]=x); done`},
	{2000, `a=($(seq N)); for ((i=0; i<N; i++)); do : ${#a[@]} ${a[i]}; done`},
	{2000, `a=($(seq N)); for ((i=0; i<N; i++)); do a[i]+=y; done; for x in "${a[@]}"; do :; done`},
	{2000, `a=($(seq N)); for ((i=0; i<N; i++)); do unset "a[i]"; done`},
	{2000, `a=($(seq N)); (for ((i=0; i<N; i++)); do a[i]=y; done)`},
	{2000, `a=($(seq N)); for ((i=0; i<N; i++)); do ((a[i]++)); done`},
	{2000, `f() { local -n r=$1; for ((i=0; i<N; i++)); do r+=(x); done; }; f a`},
	{2000, `f() { local l=$1; }; for ((i=0; i<N; i++)); do f $i; done`},
	{1000, `f() { (($1)) && f $(($1-1)); return 0; }; f N`},
	{2000, `set -- $(seq N); while [ $# -gt 0 ]; do shift; done`},
	{2000, `seq N | while read -r x; do :; done`},
	{2000, `mapfile -t a < <(seq N); for i in "${!a[@]}"; do :; done`},
	{2000, `for ((i=0; i<N; i++)); do printf -v "v$i" x; done`},
	{1000, `for ((i=0; i<N; i++)); do x=$(:); done`},
}
