package worker_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/engine/wazero"
	"github.com/terrarium-dev/terrarium/hostwasm/worker"
)

// BenchmarkStartExit is what a command costs from start to exit: a process of
// the system's that does nothing, and modules in this process, in the worker of
// their session, and in that as the first of a session, where the refilled pool is
// part of the price. Compare within one run: "x" is against the process. "cpu-ms" is
// what all took of processors, of which a machine that is busy takes less notice.
func BenchmarkStartExit(b *testing.B) {
	var process float64 // ns
	b.Run("process", func(b *testing.B) {
		null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
		if err != nil {
			b.Fatal(err)
		}
		defer null.Close()
		before := processors(b)
		for b.Loop() {
			p, err := os.StartProcess("/bin/true", []string{"true"}, &os.ProcAttr{Files: []*os.File{null, null, null}})
			if err != nil {
				b.Skip(err)
			}
			p.Wait()
		}
		b.ReportMetric(float64(processors(b)-before)/float64(b.N)/1e6, "cpu-ms/op")
		process = float64(b.Elapsed()) / float64(b.N)
	})
	for _, name := range []string{"small", "guest"} {
		c := command("exit", "7")
		c.Command = name
		b.Run(name+"/in-process", func(b *testing.B) {
			e, err := wazero.New(wazero.Config{})
			if err != nil {
				b.Fatal(err)
			}
			kept, err := hostwasm.CacheIn(cacheDir)
			if err != nil {
				b.Fatal(err)
			}
			h, err := hostwasm.New(hostwasm.Config{Engine: e, Cache: kept, Commands: commands()})
			if err != nil {
				b.Fatal(err)
			}
			defer h.Close()
			measure(b, h, c, process, false)
		})
		for _, fresh := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/worker/first=%v", name, fresh), func(b *testing.B) {
				h, err := worker.New(worker.Config{Commands: commands(), CacheDir: cacheDir, TmpDir: b.TempDir(), Pool: 4})
				if err != nil {
					b.Fatal(err)
				}
				defer h.Close()
				measure(b, h, c, process, fresh)
			})
		}
	}
}

// measure runs c again and again, in one session or each time in a fresh one.
func measure(b *testing.B, h driver.Host, c core.Command, process float64, fresh bool) {
	e, err := h.Resolve(context.Background(), c)
	if err != nil {
		b.Fatal(err)
	}
	n := 0
	once := func() {
		if n++; fresh {
			e.Command.Session = core.SessionID(strconv.Itoa(n))
		}
		p, err := h.Start(context.Background(), e)
		if err != nil {
			b.Fatal(err)
		}
		p.Output(func(uint8, []byte) {})
		if exit, err := p.Wait(); err != nil || exit.Status != (core.ExitStatus{ExitCode: 7}) {
			b.Fatalf("got %+v, %v", exit, err)
		}
		p.Close()
	}
	once() // compiles
	before := processors(b)
	for b.Loop() {
		once()
	}
	b.ReportMetric(float64(processors(b)-before)/float64(b.N)/1e6, "cpu-ms/op")
	b.ReportMetric(float64(b.Elapsed())/float64(b.N)/process, "x")
}

// processors is the time that this process and those that it has started have had of
// processors, in nanoseconds.
func processors(b *testing.B) (sum int64) {
	for _, who := range []int{unix.RUSAGE_SELF, unix.RUSAGE_CHILDREN} {
		var r unix.Rusage
		unix.Getrusage(who, &r)
		sum += r.Utime.Nano() + r.Stime.Nano()
	}
	for _, pid := range workers(b, os.Getpid()) { // which have not ended
		const scheduled = 2 // a process's CPU clock: clock_getcpuclockid(3)
		var t unix.Timespec
		if unix.ClockGettime(int32(^pid<<3|scheduled), &t) == nil {
			sum += t.Nano()
		}
	}
	return sum
}
