package bench

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// BenchmarkThroughput has a program write as fast as it can, and keeps the newest MiB of it. On a
// pty both sides have its output processing off.
func BenchmarkThroughput(b *testing.B) {
	path, err := floor()
	if err != nil {
		b.Skip(err)
	}
	d := driver.New(driver.Config{Host: nativeHost(b), Core: core.Config{Screens: true}})
	b.Cleanup(func() { d.Close() })
	for _, mode := range []struct {
		name  string
		bytes int64
	}{{"pipe", 1e9}, {"pty", 40e6}} {
		t := &table{
			title:  fmt.Sprintf("%d MB in lines of 72 bytes on a %s, the newest MiB kept; median of 7, in turns", mode.bytes/1e6, mode.name),
			header: []string{"", "MB/s", "", "aim"},
		}
		tables = append(tables, t)
		ours := func(r core.Rendering) func() (time.Duration, error) {
			c := core.Command{Command: path, Args: []string{"flood", fmt.Sprint(mode.bytes)}, Pty: mode.name == "pty", Rendering: r}
			return func() (time.Duration, error) { return flood(d, c) }
		}
		type reader struct {
			name, aim string
			run       func() (time.Duration, error)
			took      []time.Duration
		}
		readers := []reader{
			{name: "C, read and memcpy", run: once(program(path, "tail", mode.name), mode.bytes)},
			{name: "driver, raw", aim: "0.9x", run: ours(core.RenderRaw)},
			{name: "driver, text", run: ours(core.RenderText)},
			{name: "driver, screen", run: ours(core.RenderScreen)},
		}
		if mode.name == "pipe" {
			run, err := terrarium()
			if err != nil {
				b.Fatal(err)
			}
			readers = append(readers, reader{
				name: "C, of terrarium run", aim: "0.8x",
				run: once(program(path, "tail", mode.name, run, "run", "--"), mode.bytes),
			})
		}
		for range 7 {
			for i := range readers {
				took, err := readers[i].run()
				if err != nil {
					b.Fatalf("%s: %v", readers[i].name, err)
				}
				readers[i].took = append(readers[i].took, took)
			}
		}
		rate := func(i int) float64 { return float64(mode.bytes) / 1e6 / percentile(readers[i].took, 50).Seconds() }
		for i, r := range readers {
			t.row(r.name, fmt.Sprintf("%.0f", rate(i)), times(rate(i), rate(0)), r.aim)
			b.Run(mode.name+"/"+r.name, func(b *testing.B) {
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(rate(i), "MB/s")
			})
		}
	}
}

// once has a program do all of it, and tells the time that it printed.
func once(run func(n int) ([]time.Duration, error), bytes int64) func() (time.Duration, error) {
	return func() (time.Duration, error) {
		times, err := run(int(bytes))
		if err != nil {
			return 0, err
		}
		return times[0], nil
	}
}

// flood runs c to its end.
func flood(d *driver.Driver, c core.Command) (time.Duration, error) {
	begin := time.Now()
	term, err := d.Create(context.Background(), "", c)
	if err != nil {
		return 0, err
	}
	defer term.Release()
	exit, err := term.Wait(context.Background())
	took := time.Since(begin)
	if err == nil && exit.Status != (core.ExitStatus{}) {
		err = fmt.Errorf("it ended with %v", exit.Status)
	}
	if output, truncated := term.AppendOutput(nil); err == nil && (len(output) < 1<<20-72 || !truncated) {
		err = fmt.Errorf("got %d bytes, want a MiB", len(output))
	}
	return took, err
}
