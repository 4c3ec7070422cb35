package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostwasm"
)

// BenchmarkPipeline is several commands over a file of 10 MB.
func BenchmarkPipeline(b *testing.B) {
	dir := b.TempDir()
	writeInput(b, dir, "log", logLines(10<<20))
	compareSpeed(b, dir,
		`cat log | grep ERROR | sed 's/user=[0-9]*/user=N/' | sort | uniq -c`,
		`cat log | cut -d' ' -f3 | tr a-z A-Z | sort | uniq -c`,
		`cat log | tr ' ' '\n' | grep -i o | sort -u | wc -l`,
		`cat log | sed 's/o/0/g' | tr -d = | cut -c1-40 | wc`,
		`grep -v DEBUG log | awk '{ print $4 }' | sort | uniq -c | sort -rn`,
	)
}

// BenchmarkCommand is one command at a time, as agents use them: over a log of 10 MB, a tree of
// sources, two versions of a file of 1 MB, and 5 MB of JSON.
func BenchmarkCommand(b *testing.B) {
	dir := b.TempDir()
	log := logLines(10 << 20)
	writeInput(b, dir, "log", log)
	writeInput(b, dir, "old", log[:1<<20])
	writeInput(b, dir, "new", bytes.ReplaceAll(log[:1<<20], []byte("00:00:0"), []byte("00:00 ")))
	writeInput(b, dir, "json", jsonRecords(5<<20))
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		b.Skip(err)
	}
	source := filepath.Join(strings.TrimSpace(string(root)), "src", "crypto")
	if err := os.CopyFS(filepath.Join(dir, "src"), os.DirFS(source)); err != nil {
		b.Skip(err)
	}
	compareSpeed(b, dir,
		`awk '{ print $2 }' log`,
		`awk -F= '{ s += $2 } END { print s }' log`,
		`awk '/ERROR/ { n++ } END { print n }' log`,
		`awk '/user=[0-9]*7 / { n++ } END { print n }' log`,
		`awk '$3 == "ERROR"' log`,
		`awk '{ count[$3]++ } END { for (k in count) print k, count[k] }' log | sort`,
		`awk '{ gsub(/o/, "0") } 1' log`,
		`awk '{ n += split($0, part, /[ =]/) } END { print n }' log`,
		`awk '{ print substr($0, 12, 8) }' log`,
		`awk '{ $3 = "x" } 1' log`,
		`awk '{ printf "%s %d\n", $3, NR }' log`,
		`awk 'NR % 100 == 0' log`,
		`awk 'BEGIN { for (i = 0; i < 1000000; i++) s += i % 7; print s }'`,
		`awk 'length($0) > max { max = length($0) } END { print max }' log`,

		`grep -c ERROR log`,
		`grep -n 'user=[0-9]*7 ' log`,
		`grep -rn TODO src | sort`,
		`grep -rlE 'func [A-Z][a-z]+Key' src | sort`,
		`sed 's/user=/u:/' log`,
		`sed -n '1000,1010p' log`,
		`sed -n '/ERROR/p' log`,
		`sed -E 's/([a-z]+)=([0-9]+)/\2=\1/g' log`,
		`cut -d' ' -f3,4 log`,
		`cut -c1-19 log`,
		`tr a-z A-Z < log`,
		`tr -s 'a-z' < log`,
		`sort log`,
		`sort -k4,4 -s log`,
		`sort -t= -k2n log`,
		`sort -u log`,
		`uniq -c log`,
		`wc -l log`,
		`wc log`,
		`cat log`,
		`cat -n log`,
		`head -n 100000 log`,
		`tail -n 100 log`,
		`tail -n +1000 log`,
		`rev log`,
		`tac log`,
		`find src -name '*_test.go' | sort`,
		`find src -type f -size +8k | sort`,
		`find src -name '*.go' | xargs grep -l Reader | sort`,
		`find src -name '*.go' | xargs cat | wc`,
		`ls -lR src | wc -l`,
		`diff old new`,
		`jq -c 'select(.status == 500) | {id, user: .user.name}' json`,
		`jq . json`,
		`tar cf - src | wc -c`,
		`tar czf - src | gzip -dc | wc -c`,
		`gzip -c log | gzip -dc | wc`,
		`md5sum log`,
		`sha256sum log`,
		`while read -r day time level rest; do [ "$level" = ERROR ] && n=$((n + 1)); done <<<"$(head -n 20000 log)"; echo $n`,
		`head -n 20000 log | while read -r line; do :; done`,
		`head -n 20000 log >some; while read -r line; do :; done <some`,
	)
}

// compareSpeed runs command lines in a directory, in the sandbox and by Debian's own tools, in
// turn. It reports the fastest run of each and their ratio, and what the sandbox counted, which is
// the same on every machine.
func compareSpeed(b *testing.B, dir string, lines ...string) {
	h := newSandbox(b)
	runCommand(b, h, core.Command{Command: "true"}) // compiled before
	for _, line := range lines {
		b.Run(line, func(b *testing.B) { compareLine(b, h, dir, line) })
	}
}

func compareLine(b *testing.B, h *hostwasm.Host, dir, line string) {
	c := core.Command{Command: "bash", Args: []string{"-c", line}, Cwd: dir, Roots: []string{dir}}
	native, sandbox := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
	var fuel uint64
	for b.Loop() {
		start := time.Now()
		cmd := exec.Command("bash", "-c", line)
		cmd.Dir, cmd.Env = dir, []string{"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8"}
		want, err := cmd.Output()
		if _, failed := err.(*exec.ExitError); err != nil && !failed {
			b.Skip(err)
		}
		native = min(native, time.Since(start))

		start = time.Now()
		stdout, stderr, exit := runCommand(b, h, c)
		sandbox = min(sandbox, time.Since(start))
		fuel = exit.Usage.Fuel
		if !bytes.Equal(stdout.Bytes(), want) {
			b.Fatalf("got %d bytes and %q, want %d bytes", stdout.Len(), stderr, len(want))
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(native.Milliseconds()), "native-ms")
	b.ReportMetric(float64(sandbox.Milliseconds()), "sandbox-ms")
	b.ReportMetric(float64(sandbox)/float64(native), "times-native")
	b.ReportMetric(float64(fuel/1e6), "Mfuel")
}

func writeInput(b *testing.B, dir, name string, p []byte) {
	if err := os.WriteFile(filepath.Join(dir, name), p, 0o666); err != nil {
		b.Fatal(err)
	}
}

// logLines returns n bytes of a log, a little more to end the last line.
func logLines(n int) []byte {
	levels := []string{"DEBUG", "INFO", "INFO", "WARN", "ERROR"}
	paths := []string{"/", "/login", "/api/orders", "/api/items", "/static/logo.png"}
	var log bytes.Buffer
	for i := uint32(1); log.Len() < n; i = i*1664525 + 1013904223 {
		r := i >> 8
		fmt.Fprintf(&log, "2026-11-22 %02d:%02d:%02d %s %s user=%d took=%dms\n",
			r%24, r/24%60, r/1440%60, levels[r%5], paths[r/5%5], r/25%1000, r%977)
	}
	return log.Bytes()
}

// jsonRecords returns n bytes of JSON, one object a line, a little more to end the last one.
func jsonRecords(n int) []byte {
	type person struct {
		Name  string   `json:"name"`
		Roles []string `json:"roles"`
	}
	var out bytes.Buffer
	for i := 0; out.Len() < n; i++ {
		p, _ := json.Marshal(struct {
			ID     int     `json:"id"`
			Status int     `json:"status"`
			Took   float64 `json:"took"`
			User   person  `json:"user"`
		}{i, 200 + i%4*100, float64(i%977) / 8, person{fmt.Sprint("user ", i%1000), []string{"reader", "owner"}}})
		out.Write(append(p, '\n'))
	}
	return out.Bytes()
}
