package bench

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/driver/remote"
	"github.com/terrarium-dev/terrarium/hostnative"
)

// overSocket returns a host whose far side is that host, behind a Unix socket.
func overSocket(b *testing.B, host driver.Host) *remote.Host {
	b.Helper()
	l, err := net.Listen("unix", filepath.Join(b.TempDir(), "s"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { l.Close() })
	s := remote.NewServer(remote.ServerConfig{Host: host})
	b.Cleanup(func() { s.Close() })
	return connectRemote(b, func(ctx context.Context) (io.ReadWriteCloser, error) {
		near, err := new(net.Dialer).DialContext(ctx, "unix", l.Addr().String())
		if err != nil {
			return nil, err
		}
		far, err := l.Accept()
		if err != nil {
			return nil, err
		}
		go s.Serve(far) // ends with the connection
		return near, nil
	})
}

func connectRemote(b *testing.B, dial func(context.Context) (io.ReadWriteCloser, error)) *remote.Host {
	b.Helper()
	h, err := remote.Connect(b.Context(), remote.Config{Dial: dial})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { h.Close() })
	return h
}

// A remoteJob is done on a local host and over a link in turns, and the ratio compared with aim.
type remoteJob struct {
	name, aim string
	rate      bool // more is better
	turns     int
	each      int
	start     func(b *testing.B, h driver.Host) (do func() error, end func())
}

var remoteJobs = []remoteJob{
	{"command, pipes", "1.25", false, 20, 20, remoteCommand(core.Command{Command: "true"})},
	{"command, pty", "1.5", false, 20, 20, remoteCommand(core.Command{Command: "true", Pty: true, Rows: 24, Cols: 80})},
	{"echo of a line, pipes", "4", false, 20, 200, remoteEcho},
	{"output of 4 MiB, pipes", "0.5", true, 20, 8, remoteOutput(core.Command{Command: "cat", Args: []string{"/dev/zero"}})},
	{"output of 4 MiB, pty", "0.9", true, 10, 4, remoteOutput(core.Command{Command: "cat", Args: []string{"/dev/zero"}, Pty: true, Rows: 24, Cols: 80})},
}

// BenchmarkRemote compares commands behind a link over a Unix socket with the same without it.
func BenchmarkRemote(b *testing.B) {
	t := &table{
		title:  "over a link on a Unix socket, and without; medians, in turns",
		header: []string{"", "local ms", "link ms", "ratio", "aim"},
	}
	tables = append(tables, t)
	local := nativeHost(b)
	hosts := []driver.Host{local, overSocket(b, local)}
	for _, job := range remoteJobs {
		var took [2][]time.Duration
		var do [2]func() error
		for i, h := range hosts {
			var end func()
			do[i], end = job.start(b, h)
			defer end()
		}
		for range job.turns {
			for i := range hosts {
				times, err := timed(do[i])(job.each)
				if err != nil {
					b.Fatalf("%s: %v", job.name, err)
				}
				took[i] = append(took[i], times...)
			}
		}
		here, there := percentile(took[0], 50), percentile(took[1], 50)
		ratio, aim := times(there.Seconds(), here.Seconds()), "at most "+job.aim
		if job.rate {
			ratio, aim = times(here.Seconds(), there.Seconds()), "at least "+job.aim
		}
		t.row(job.name, milliseconds(here), milliseconds(there), ratio, aim)
		b.Run(job.name, func(b *testing.B) { b.ReportMetric(float64(there), "ns/op") })
	}
}

func startRemote(b *testing.B, h driver.Host, c core.Command) driver.Process {
	b.Helper()
	e, err := h.Resolve(context.Background(), c)
	if err != nil {
		b.Fatal(err)
	}
	p, err := h.Start(context.Background(), e)
	if err != nil {
		b.Fatal(err)
	}
	return p
}

func remoteCommand(c core.Command) func(*testing.B, driver.Host) (func() error, func()) {
	return func(b *testing.B, h driver.Host) (func() error, func()) {
		return func() error {
			p := startRemote(b, h, c)
			p.Output(func(uint8, []byte) {})
			if _, err := p.Wait(); err != nil {
				return err
			}
			return p.Close()
		}, func() {}
	}
}

// startReading returns a process, and a channel of how much it has written.
func startReading(b *testing.B, h driver.Host, c core.Command) (driver.Process, chan int) {
	p := startRemote(b, h, c)
	more := make(chan int, 64)
	go func() { // ends by Close
		defer close(more)
		p.Output(func(_ uint8, q []byte) { more <- len(q) })
	}()
	return p, more
}

func endReading(p driver.Process, more chan int) func() {
	return func() {
		go p.Close() // while there is more, nobody must wait
		for range more {
		}
	}
}

func remoteEcho(b *testing.B, h driver.Host) (func() error, func()) {
	p, more := startReading(b, h, core.Command{Command: "cat", Args: []string{"-"}, Interactive: true})
	return func() error {
		_, err := p.Write([]byte("x\n"))
		<-more
		return err
	}, endReading(p, more)
}

// remoteOutput leaves a flood waiting between the turns, which costs nothing.
func remoteOutput(c core.Command) func(*testing.B, driver.Host) (func() error, func()) {
	return func(b *testing.B, h driver.Host) (func() error, func()) {
		p, more := startReading(b, h, c)
		return func() error {
			for n := 0; n < 4<<20; n += <-more {
			}
			return nil
		}, endReading(p, more)
	}
}

// farVariable has this program be the far side, on its standard input and output.
const farVariable = "TERRARIUM_BENCH_FAR"

func farMain() int {
	host, err := hostnative.New(hostnative.Config{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer host.Close()
	s := remote.NewServer(remote.ServerConfig{Host: host})
	s.Serve(stdio{})
	s.Close()
	return 0
}

// stdio is a connection on standard input and output.
type stdio struct{}

func (stdio) Read(p []byte) (int, error)  { return os.Stdin.Read(p) }
func (stdio) Write(p []byte) (int, error) { return os.Stdout.Write(p) }
func (stdio) Close() error                { os.Stdin.Close(); return os.Stdout.Close() }

// A child is a connection to a program.
type child struct {
	io.ReadCloser
	io.WriteCloser
	cmd *exec.Cmd
}

func (c *child) Close() error {
	c.WriteCloser.Close()
	c.ReadCloser.Close()
	return c.cmd.Wait()
}

// BenchmarkRemoteIdle holds terminals on another program, whose commands wait.
func BenchmarkRemoteIdle(b *testing.B) {
	const n = 1000
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	var far *exec.Cmd
	h := connectRemote(b, func(context.Context) (io.ReadWriteCloser, error) {
		far = exec.Command(self)
		far.Env = append(os.Environ(), farVariable+"=1")
		far.Stderr = os.Stderr
		in, err := far.StdinPipe()
		if err != nil {
			return nil, err
		}
		out, err := far.StdoutPipe()
		if err != nil {
			return nil, err
		}
		return &child{out, in, far}, far.Start()
	})
	d := driver.New(driver.Config{Host: h, Core: core.Config{
		KillGrace: -1, MaxTerminals: n + 10, MaxSessionTerminals: n + 10, MaxOutputBytes: 1 << 40, OutputByteLimit: 64 << 10,
	}})
	defer d.Close()
	create := func(n int) {
		for range n {
			if _, err := d.Create(b.Context(), "", core.Command{Command: "sleep", Args: []string{"1000"}}); err != nil {
				b.Fatal(err)
			}
		}
	}
	create(5) // so that all that is there once is there
	near, there := nearBytes(), farBytes(b, far)
	create(n)
	near, there = (nearBytes()-near)/n, (farBytes(b, far)-there)/n
	tables = append(tables, &table{
		title:  fmt.Sprintf("%d terminals that wait behind a link, on pipes; each", n),
		header: []string{"", "KiB", "aim"},
		rows: [][]string{
			{"near: heap and stacks", fmt.Sprintf("%.1f", float64(near)/1024), "at most 16"},
			{"far: RSS", fmt.Sprintf("%.1f", float64(there)/1024), "at most 24"},
		},
	})
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(near), "near-B/terminal")
	b.ReportMetric(float64(there), "far-B/terminal")
}

// nearBytes is what this program holds.
func nearBytes() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapInuse + m.StackInuse)
}

// farBytes is what another program holds.
func farBytes(b *testing.B, cmd *exec.Cmd) int {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
	if err != nil {
		b.Skip("no /proc")
	}
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	kib, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		b.Fatal(err)
	}
	return kib << 10
}
