package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/hostnative"
)

// idleVariable has this program be the one that is measured: a fresh one for each measurement.
const idleVariable = "TERRARIUM_BENCH_IDLE"

// idle is what terminals cost that do nothing.
type idle struct {
	Terminals   int
	Threads     int
	Descriptors float64 // for each
	RSS         float64 // for each, in bytes, over what the program had before
	Create      time.Duration
	Release     time.Duration
	Err         string
}

// BenchmarkIdle holds terminals whose command sleeps: on a pty, on one with a screen and a line on
// it, on a pipe. Threads and memory are those of our process, not of the commands.
func BenchmarkIdle(b *testing.B) {
	nativeHost(b)
	t := &table{
		title:  "terminals that wait",
		header: []string{"", "threads", "descriptors each", "RSS each", "create/s", "release all", "aim"},
	}
	tables = append(tables, t)
	for _, mode := range []string{"pty", "screen", "pipe"} {
		b.Run(mode, func(b *testing.B) {
			got, err := measureIdle(b, mode)
			if err != nil {
				b.Fatal(err)
			}
			rate := float64(got.Terminals) / got.Create.Seconds()
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(got.Threads), "threads")
			b.ReportMetric(got.RSS, "B/terminal")
			b.ReportMetric(rate, "create/s")
			t.row(fmt.Sprintf("%d on a %s", got.Terminals, mode), strconv.Itoa(got.Threads),
				fmt.Sprintf("%.2f", got.Descriptors), fmt.Sprintf("%.1f KiB", got.RSS/1024),
				fmt.Sprintf("%.0f", rate), got.Release.Round(time.Millisecond).String(), "16 threads, 16 KiB each")
		})
	}
}

// measured keeps what a mode has cost: "go test" calls each benchmark more than once.
var measured = map[string]idle{}

func measureIdle(b *testing.B, mode string) (got idle, err error) {
	if got, ok := measured[mode]; ok {
		return got, nil
	}
	self, err := os.Executable()
	if err != nil {
		return got, err
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), idleVariable+"="+mode)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return got, err
	}
	if err := json.Unmarshal(out, &got); err != nil {
		return got, err
	}
	if got.Err != "" {
		return got, fmt.Errorf("after %d terminals: %s", got.Terminals, got.Err)
	}
	measured[mode] = got
	return got, nil
}

// idleMain prints what terminals of that mode cost this program.
func idleMain(mode string) int {
	n := 4000
	c := core.Command{Command: "sleep", Args: []string{"1000"}}
	if mode != "pipe" {
		n = min(3000, freePtys())
		c.Pty = true
	}
	if mode == "screen" {
		c.Interactive, c.Screen = true, true
	}
	got, err := holdIdle(n, c)
	if err != nil {
		got.Err = err.Error()
	}
	if err := json.NewEncoder(os.Stdout).Encode(got); err != nil {
		return 1
	}
	return 0
}

func holdIdle(n int, c core.Command) (got idle, err error) {
	host, err := hostnative.New(hostnative.Config{})
	if err != nil {
		return got, err
	}
	defer host.Close()
	d := driver.New(driver.Config{Host: host, Core: core.Config{
		KillGrace: -1, MaxTerminals: n + 1, MaxSessionTerminals: n + 1, MaxOutputBytes: 1 << 40, OutputByteLimit: 64 << 10, Screens: true,
	}})
	defer d.Close()
	first, err := d.Create(context.Background(), "", c) // opens what is opened once
	if err != nil {
		return got, err
	}
	rss, fds := residentBytes(), descriptors()

	begin := time.Now()
	for ; got.Terminals < n; got.Terminals++ {
		term, err := d.Create(context.Background(), "", c)
		if err != nil {
			return got, err
		}
		if c.Screen {
			term.Write([]byte("Listening on http://localhost:8080/\n")) // which the terminal echoes
		}
	}
	got.Create = time.Since(begin)
	got.Threads = threads()
	got.RSS = float64(residentBytes()-rss) / float64(n)
	got.Descriptors = float64(descriptors()-fds) / float64(n)

	first.Release()
	begin = time.Now()
	err = d.Close() // which waits until the last one has gone
	got.Release = time.Since(begin)
	return got, err
}

// freePtys is how many more the system lets us have. Linux reserves some for the first mount of
// devpts, which need not be ours.
func freePtys() int {
	most, reserve, used := sysctl("max"), sysctl("reserve"), sysctl("nr")
	if most == 0 {
		return 100
	}
	return most - reserve - used - 8
}

func sysctl(name string) int {
	text, _ := os.ReadFile("/proc/sys/kernel/pty/" + name)
	n, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	return n
}

// residentBytes is 0 where there is no /proc, as are the others.
func residentBytes() int64 {
	runtime.GC()
	debug.FreeOSMemory()
	text, _ := os.ReadFile("/proc/self/statm")
	var size, resident int64
	fmt.Sscan(string(text), &size, &resident)
	return resident * int64(os.Getpagesize())
}

func descriptors() int {
	names, _ := filepath.Glob("/proc/self/fd/*")
	return len(names)
}

func threads() int {
	names, _ := filepath.Glob("/proc/self/task/*")
	return len(names)
}
