package bench

import (
	"context"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/driver/remote"
)

// sshVariable names a host that ssh reaches, which has terrarium in its PATH.
const sshVariable = "TERRARIUM_BENCH_SSH"

// An sshJob is done by a command of plain ssh and by one over a link through ssh, in turns.
type sshJob struct {
	name, aim string
	rate      bool // more is better
	turns     int
	each      int
	plain     []string // the command of plain ssh
	size      int      // bytes that are read of it each time
	start     func(b *testing.B, h driver.Host) (do func() error, end func())
}

var sshJobs = []sshJob{
	{"echo of a line", "1.2", false, 20, 100, []string{"cat"}, 2, remoteEcho},
	{"output of 4 MiB", "0.9", true, 20, 8, []string{"cat", "/dev/zero"}, 4 << 20, remoteOutput(core.Command{Command: "cat", Args: []string{"/dev/zero"}})},
}

// BenchmarkSSH compares commands over a link through ssh with the same by ssh alone.
func BenchmarkSSH(b *testing.B) {
	place := os.Getenv(sshVariable)
	if place == "" {
		b.Skipf("NOT RUN: %s is not set: it names a host that ssh reaches, with terrarium in its PATH", sshVariable)
	}
	t := &table{
		title:  "over a link through ssh, and by ssh alone; medians, in turns",
		header: []string{"", "ssh ms", "link ms", "kept ms", "ratio", "kept ratio", "aim"},
	}
	tables = append(tables, t)
	serve := []string{place, "terrarium", "host", "serve", "--stdio"}
	var hosts []*remote.Host // which end with the connection, and which are kept
	for _, more := range [][]string{nil, {"--keep", "bench-" + strconv.Itoa(os.Getpid())}} {
		hosts = append(hosts, connectRemote(b, func(context.Context) (io.ReadWriteCloser, error) {
			return startSSH(append(slices.Clip(serve), more...)...)
		}))
	}
	into := make([]byte, 256<<10)
	for _, job := range sshJobs {
		plain, err := startSSH(append([]string{place}, job.plain...)...)
		if err != nil {
			b.Fatal(err)
		}
		do := []func() error{
			func() error {
				if !job.rate {
					if _, err := plain.Write([]byte("x\n")); err != nil {
						return err
					}
				}
				for n := 0; n < job.size; {
					m, err := plain.Read(into)
					if err != nil {
						return err
					}
					n += m
				}
				return nil
			},
		}
		var ends []func()
		for _, h := range hosts {
			ours, end := job.start(b, h)
			do, ends = append(do, ours), append(ends, end)
		}
		took := make([][]time.Duration, len(do))
		for range job.turns {
			for i := range do {
				times, err := timed(do[i])(job.each)
				if err != nil {
					b.Fatalf("%s: %v", job.name, err)
				}
				took[i] = append(took[i], times...)
			}
		}
		for _, end := range ends {
			end()
		}
		plain.Close()
		alone, link, kept := percentile(took[0], 50), percentile(took[1], 50), percentile(took[2], 50)
		ratio := func(d time.Duration) string { return times(d.Seconds(), alone.Seconds()) }
		aim := "at most " + job.aim
		if job.rate {
			ratio = func(d time.Duration) string { return times(alone.Seconds(), d.Seconds()) }
			aim = "at least " + job.aim
		}
		t.row(job.name, milliseconds(alone), milliseconds(link), milliseconds(kept), ratio(link), ratio(kept), aim)
		b.Run(job.name, func(b *testing.B) { b.ReportMetric(float64(link), "ns/op") })
	}
}

// startSSH returns a connection to a command that ssh starts.
func startSSH(args ...string) (*child, error) {
	cmd := exec.Command("ssh", append([]string{"-T"}, args...)...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &child{out, in, cmd}, cmd.Start()
}
