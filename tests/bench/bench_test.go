// Package bench compares us with what else runs commands, and with the system's own floor: a C
// program that does the same without any of a terminal's comforts. All that is compared runs in
// turns in one process run, so that only ratios are worth reading; the tables that they end in come
// last.
//
//	go test -bench=. ./tests/bench
package bench

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/terrarium-dev/terrarium/core/coretest"
	"github.com/terrarium-dev/terrarium/hostnative"
	"github.com/terrarium-dev/terrarium/hostnative/helper"
	"github.com/terrarium-dev/terrarium/hostwasm/worker"
)

func TestMain(m *testing.M) {
	helper.Main() // our hosts' keeper
	worker.Main() // and the sandbox's workers
	if address := os.Getenv(connectVariable); address != "" {
		connectMain(address)
	}
	if os.Getenv(farVariable) != "" {
		os.Exit(farMain())
	}
	if mode := os.Getenv(idleVariable); mode != "" {
		os.Exit(idleMain(mode))
	}
	if mode := os.Getenv(proxyVariable); mode != "" {
		os.Exit(proxyMain(mode))
	}
	code := m.Run()
	printTables()
	if dir != "" {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

// dir holds the programs that were built for the benchmarks.
var dir string

// floor builds testdata/floor.c.
var floor = sync.OnceValues(func() (string, error) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		return "", fmt.Errorf("no C compiler: %w", err)
	}
	return buildWith(cc, "floor", "-O2", "-o", "floor", "testdata/floor.c")
})

// terrarium builds the command.
var terrarium = sync.OnceValues(func() (string, error) {
	if _, err := os.Stat("../../cmd/terrarium"); err != nil {
		return "", err
	}
	return buildWith("go", "terrarium", "build", "-o", "terrarium", "../../cmd/terrarium")
})

// buildWith runs a compiler that is to write the file name. It replaces that argument by the file's
// path.
func buildWith(compiler, name string, args ...string) (path string, err error) {
	if dir == "" {
		if dir, err = os.MkdirTemp("", "bench"); err != nil {
			return "", err
		}
	}
	path = filepath.Join(dir, name)
	args[slices.Index(args, name)] = path
	cmd := exec.Command(compiler, args...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%v: %w\n%s", cmd, err, out)
	}
	return path, nil
}

func nativeHost(b *testing.B) *hostnative.Host {
	b.Helper()
	host, err := hostnative.New(hostnative.Config{})
	coretest.Supported(b, err)
	b.Cleanup(func() { host.Close() })
	return host
}

// parseTimes reads a line of nanoseconds for each time.
func parseTimes(out []byte) (times []time.Duration, err error) {
	for field := range strings.FieldsSeq(string(out)) {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return nil, err
		}
		times = append(times, time.Duration(n))
	}
	return times, nil
}

// percentile sorts times. p is of a hundred.
func percentile(times []time.Duration, p int) time.Duration {
	slices.Sort(times)
	return times[(len(times)-1)*p/100]
}

// A table is printed when all benchmarks have run.
type table struct {
	title  string
	header []string
	rows   [][]string
}

var tables []*table

func (t *table) row(cells ...string) { t.rows = append(t.rows, cells) }

func printTables() {
	for _, t := range tables {
		fmt.Printf("\n# %s\n", t.title)
		w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
		for _, row := range append([][]string{t.header}, t.rows...) {
			fmt.Fprintln(w, "# "+strings.Join(row, "\t"))
		}
		w.Flush()
	}
}

// milliseconds has three digits after the point.
func milliseconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds()*1e3, 'f', 3, 64) }

// times is how the ratio a/b is written.
func times(a, b float64) string { return strconv.FormatFloat(a/b, 'f', 2, 64) + "x" }
