package main

import (
	"strconv"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
)

// TestLinear has what keeps something for each line, element or call do twice as much: it may take
// little more than twice the fuel, which is the same on every machine. What takes four times as
// much is quadratic, and a sandbox's time is over before it has done what takes Debian's tools a
// second. N is the number of steps.
func TestLinear(t *testing.T) {
	if testing.Short() || raceEnabled() {
		t.Skip("runs the box in the sandbox")
	}
	h := newSandbox(t)
	fuel := func(line string, n int) float64 {
		line = strings.ReplaceAll(line, "N", strconv.Itoa(n))
		c := core.Command{Command: "bash", Args: []string{"-c", line}, Cwd: "/tmp", Session: core.SessionID(line)}
		_, stderr, exit := runCommand(t, h, c)
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
	{40000, `yes € | tr -d '\n' | { read -r -n N x; }`},
	{2000, `mapfile -t a < <(seq N); for i in "${!a[@]}"; do :; done`},
	{2000, `for ((i=0; i<N; i++)); do printf -v "v$i" x; done`},
	{1000, `for ((i=0; i<N; i++)); do x=$(:); done`},

	{2000, `jq -n '[range(N) | {key: tostring, value: .}] | from_entries | with_entries(.value += 1) | length'`},
	{2000, `jq -n 'reduce range(N) as $i ({}; . + {"\($i)": $i}) | length'`},
	{2000, `jq -n 'reduce range(N) as $i ({}; .["\($i)"] = $i) | length'`},
	{2000, `jq -n 'reduce range(N) as $i ({}; .["\($i % (N/2))"] += 1) | length'`},
	{2000, `jq -n 'reduce range(N) as $i ({}; .a.b["\($i)"] = $i) | length'`},
	{2000, `jq -n 'reduce range(N) as $i ([]; . + [$i]) | length'`},
	{2000, `jq -n '[range(N)] | map_values(. + 1) | (.[] | select(. > 5)) |= 0 | length'`},
	{4000, `jq -n '[range(N)] | map({a: .}) | map_values(.a += 1) | length'`},
	{2000, `jq -n '[range(N)] | del(.[range(0; N; 2)]) | length'`},
	{2000, `jq -n '[range(N) | tostring] | (add, join(",")) | length'`},
	{2000, `jq -n '[range(N) | {"\(.)": .}] | add | (keys, to_entries) | length'`},
	{4000, `jq -n '[range(N) | {k: (. % 100)}] | (group_by(.k), unique_by(.k)) | length'`},
	{2000, `jq -n '[limit(N; repeat(1))] | (flatten, reverse, unique, tojson, [paths], [tostream]) | length'`},
	{2000, `jq -n '[foreach range(N) as $i (0; . + $i)] | last, first, min, max, any, all'`},
	{2000, `jq -n '0 | until(. >= N; . + 1), last(while(. < N; . + 1))'`},
	{2000, `seq N | jq -n 'reduce inputs as $x ([]; . + [$x]) | length'`},

	{2000, `seq N | awk '{ a[$1] = a[$1 - 1] "" } END { for (k in a) n++; print n }'`},
	{2000, `seq N | awk '{ a[NR] = $1 } END { for (i = NR; i > 0; i--) delete a[i]; print length(a) }'`},
	{1000, `awk 'function f(n) { return n ? f(n - 1) + 1 : 0 } BEGIN { print f(N) }'`},
	{2000, `seq N | sed 'H; $!d; x; s/\n/,/g' | wc -c`},
	{2000, `seq N | sort -rn | uniq -c | sort -u | tac | rev | nl | wc -l`},
	{2000, `seq N | shuf | sort -k1,1 -s | wc -l`},
	{2000, `seq N | sort > a; sort a | join - a | comm - a | wc -l`},
	{2000, `seq N > a; sed s/5/x/ a > b; diff a b | wc -l; diff a b | patch -s a; cmp a b`},
	{2000, `seq N > a; grep -c -f a a`},
	{2000, `seq N | paste -sd, | tr , '\n' | fold -w 3 | wc -l`},
	{2000, `seq N | paste - - | column -t | expand | cut -f1 | wc -l`},
	{2000, `seq N | xargs echo | wc -w; seq N | xargs -n 100 echo | wc -l`},
	{2000, `seq N | awk '{ print $1, $1 + 1 }' | tsort | wc -l`},
	{2000, `seq N | sed 's/.*/x+=&/' | bc; echo 'for (i = 0; i < N; i++) a[i] = i; a[5]' | bc`},
	{100, `mkdir d; for i in $(seq N); do : > d/$i; done; find d -name '*5' | wc -l; ls d | wc -l; tar cf a.tar d; tar tf a.tar | wc -l; rm -r d`},
}
