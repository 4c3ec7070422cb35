package bench

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/driver/audit"
)

// BenchmarkAudit compares an event of the record with the start of a command, in turns, and a
// command that is recorded with one that is not.
func BenchmarkAudit(b *testing.B) {
	const turns, each = 8, 50
	log, err := audit.Open(filepath.Join(b.TempDir(), "record"), audit.LogConfig{})
	if err != nil {
		b.Fatal(err)
	}
	defer log.Close()
	recorder, err := audit.New(audit.Config{Log: log})
	if err != nil {
		b.Fatal(err)
	}
	plain, err := startDriver(b, false)
	if err != nil {
		b.Fatal(err)
	}
	recorded := startDriverWith(b, recorder.Wrap(driver.Config{Host: nativeHost(b)}), false)
	event := timed(func() error {
		return log.Append(&audit.Event{
			Time: time.Now().UTC(), Event: audit.Start, HostID: "K3IIM6KHNH56CT3TWGV2S3YZZW", Session: "session-1@K3IIM6KHNH56CT3TWGV2S3YZZW",
			Terminal: "term_1_2713e8bc6f07e2c28a7ada53ea0444e9", Argv: []string{"bash", "-c", "go test ./... 2>&1 | tail -40"}, Exec: core.ViaShell,
			Cwd: "/home/ann/src/project", EnvNames: []string{"PAGER", "GIT_PAGER"}, Pid: 12345,
			Cgroup: "/sys/fs/cgroup/unified/terrarium-4026531836-26080-224916-1",
		})
	})
	runs := []func(int) ([]time.Duration, error){plain, recorded, event}
	took := make([][]time.Duration, len(runs))
	for range turns {
		for i, run := range runs {
			times, err := run(each)
			if err != nil {
				b.Fatal(err)
			}
			took[i] = append(took[i], times...)
		}
	}
	t := &table{
		title:  fmt.Sprintf("the record: /bin/true on a pipe, median of %d, in turns of %d", turns*each, each),
		header: []string{"", "ms", "p90", "", "aim"},
	}
	tables = append(tables, t)
	first := percentile(took[0], 50)
	for i, name := range []string{"not recorded", "recorded, 4 events", "an event"} {
		median := percentile(slices.Clone(took[i]), 50)
		aim := []string{"", "", "0.02x"}[i]
		t.row(name, milliseconds(median), milliseconds(percentile(took[i], 90)), fmt.Sprintf("%.3fx", median.Seconds()/first.Seconds()), aim)
		b.Run(name, func(b *testing.B) { b.ReportMetric(float64(median), "ns/op") })
	}
}
