package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
)

// TestLoopCost keeps what the shell pays for each turn of a loop from growing unseen. It counts
// fuel, which is the same on every machine; a thousand units are about a microsecond.
func TestLoopCost(t *testing.T) {
	if testing.Short() || raceEnabled() {
		t.Skip("compiles a module of 14 MB")
	}
	const turns = 2000
	h := newSandbox(t)
	dir := t.TempDir()
	line := "2026-11-22 00:00:01 ERROR /login user=12 took=1ms\n"
	if err := os.WriteFile(filepath.Join(dir, "lines"), []byte(strings.Repeat(line, turns)), 0o666); err != nil {
		t.Fatal(err)
	}
	fuel := func(script string) uint64 {
		c := core.Command{Command: "bash", Args: []string{"-c", script}, Cwd: dir, Roots: []string{dir}}
		stdout, stderr, exit := runCommand(t, h, c)
		if stdout.String() != "2000\n" || stderr.Len() > 0 {
			t.Errorf("%s: got %q and %q, want 2000", script, stdout, stderr)
		}
		return exit.Usage.Fuel
	}
	start := fuel("echo 2000")
	for _, loop := range []struct {
		script string
		most   uint64 // units for each turn
	}{
		{`for ((i = 0; i < 2000; i++)); do :; done; echo $i`, 45_000},
		{`i=0; while [ $i -lt 2000 ]; do i=$((i + 1)); done; echo $i`, 75_000},
		{`n=0; while read -r line; do n=$((n + 1)); done <lines; echo $n`, 90_000},
		{`for i in {1..2000}; do case $i in *9) n=1 ;; *8) n=2 ;; *) n=3 ;; esac; done; echo $i`, 105_000},
		{`for i in {1..2000}; do [[ $i == 9* ]]; x=${i%%0*}; done; echo $i`, 160_000},
	} {
		if got := (fuel(loop.script) - start) / turns; got > loop.most {
			t.Errorf("%s: got %d units of fuel for each turn, want at most %d", loop.script, got, loop.most)
		}
	}
}
