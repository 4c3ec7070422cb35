package bench

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/engine/wazero"
	"github.com/terrarium-dev/terrarium/hostwasm/worker"
	"github.com/terrarium-dev/terrarium/plugins"
)

// BenchmarkWasmSession says what commands of the box cost that a session runs one after the other,
// in this process and in the session's worker, from start to exit. Processor time is that of all
// processes.
//
//	go test -run '^$' -bench BenchmarkWasmSession -benchtime 500x ./tests/bench
func BenchmarkWasmSession(b *testing.B) {
	commands := boxCommands(b)
	t := &table{
		title:  "a session's commands in the sandbox, one after the other",
		header: []string{"", "processor time", "start to exit, p50", "p99", "aim"},
	}
	tables = append(tables, t)
	for _, c := range []core.Command{{Command: "bash", Args: []string{"-c", "true"}}, {Command: "true"}} {
		for _, inWorker := range []bool{false, true} {
			name, aim := strings.Join(append([]string{c.Command}, c.Args...), " ")+", in-process", ""
			if inWorker {
				name, aim = strings.Replace(name, "in-process", "in workers", 1), "10 ms"
			}
			b.Run(name, func(b *testing.B) {
				h := wasmHost(b, commands, inWorker)
				s := &wasmSession{host: h, command: c, id: "session"}
				for range 3 { // loads the module, and has all that grows be large enough
					s.run(b)
				}
				s.took = nil
				before := processorTime(b)
				for b.Loop() {
					s.run(b)
				}
				each := (processorTime(b) - before) / time.Duration(b.N)
				p50, p99 := percentile(s.took, 50), percentile(s.took, 99)
				t.row(name, milliseconds(each)+" ms", milliseconds(p50)+" ms", milliseconds(p99)+" ms", aim)
				b.ReportMetric(each.Seconds()*1e3, "cpu-ms/op")
				b.ReportMetric(p50.Seconds()*1e3, "p50-ms")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// BenchmarkWasmDirect is true that a host starts itself, from start to exit, in turns with a
// program of C's that starts /bin/true by posix_spawn: by the module that stands for the box, and
// by the box.
//
//	go test -run '^$' -bench BenchmarkWasmDirect -benchtime 1x ./tests/bench
func BenchmarkWasmDirect(b *testing.B) {
	const turns, each = 10, 40
	spawn, err := startFloor(b, false)
	if err != nil {
		b.Skip("skipped: ", err)
	}
	session := func(commands map[string]*hostwasm.Module, inWorker bool) func(int) ([]time.Duration, error) {
		s := &wasmSession{host: wasmHost(b, commands, inWorker), command: core.Command{Command: "true"}, id: "session"}
		return func(n int) ([]time.Duration, error) {
			s.took = nil
			for range n {
				s.run(b)
			}
			return s.took, nil
		}
	}
	box := boxCommands(b)
	small := directCommands(b)
	runners := []struct {
		name, aim string
		run       func(int) ([]time.Duration, error)
	}{
		{"C, posix_spawn", "", spawn},
		{"in-process", "0.3x", session(small, false)},
		{"in workers", "1x", session(small, true)},
		{"the box, in-process", "", session(box, false)},
		{"the box, in workers", "", session(box, true)},
	}
	for b.Loop() {
		took := make([][]time.Duration, len(runners))
		for turn := range turns + 1 { // the first does what is done once
			for i, s := range runners {
				times, err := s.run(each)
				if err != nil {
					b.Fatal(err)
				}
				if turn > 0 {
					took[i] = append(took[i], times...)
				}
			}
		}
		t := &table{
			title:  fmt.Sprintf("true that a host of the sandbox starts itself: start to exit; median of %d, in turns of %d", turns*each, each),
			header: []string{"", "ms", "", "aim"},
		}
		tables = append(tables, t)
		first := percentile(took[0], 50)
		for i, s := range runners {
			median := percentile(took[i], 50)
			t.row(s.name, milliseconds(median), times(median.Seconds(), first.Seconds()), s.aim)
		}
	}
	b.ReportMetric(0, "ns/op")
}

// BenchmarkWasmSessions says how much memory of its own the worker of each of 50 sessions has,
// besides the code of the box that wazero copies: after one command, while all of them run another.
//
//	go test -run '^$' -bench 'BenchmarkWasmSessions$' -benchtime 1x ./tests/bench
func BenchmarkWasmSessions(b *testing.B) {
	h := wasmHost(b, boxCommands(b), true)
	for b.Loop() {
		var processes []driver.Process
		for i := range 50 {
			s := &wasmSession{host: h, id: core.SessionID(fmt.Sprint(i))}
			s.command = core.Command{Command: "bash", Args: []string{"-c", "true"}}
			s.run(b)
			s.command.Args = []string{"-c", "read x"}
			s.command.Interactive = true
			processes = append(processes, s.start(b, s.resolve(b)))
		}
		var private, code int64
		for _, p := range processes {
			pid, _ := p.(driver.Placer).Place()
			mine, executable := privateMemory(b, pid)
			private, code = private+mine, code+executable
		}
		for _, p := range processes {
			p.Close()
		}
		b.ReportMetric(float64(private-code)/50/(1<<20), "MiB/worker")
		b.ReportMetric(float64(code)/50/(1<<20), "MiB-of-code/worker")
		b.ReportMetric(0, "ns/op")
	}
}

// directCommands returns those of the box, and true is what stands for it.
func directCommands(b *testing.B) map[string]*hostwasm.Module {
	commands := hostwasm.Commands([]plugins.Module{box(b)})
	if commands["true"].Direct == nil {
		b.Skip("skipped: no module stands for true")
	}
	return commands
}

// boxCommands returns the box's bash and true, and nothing stands for true.
func boxCommands(b *testing.B) map[string]*hostwasm.Module {
	m := box(b)
	module := &hostwasm.Module{Name: m.Name, Load: m.Load}
	return map[string]*hostwasm.Module{"bash": module, "true": module}
}

func box(b *testing.B) plugins.Module {
	i := slices.IndexFunc(plugins.Modules(), func(m plugins.Module) bool { return m.Name == "box" })
	m := plugins.Modules()[i]
	if err := m.Missing(); err != nil {
		b.Skip("skipped: ", err)
	}
	return m
}

func wasmHost(b *testing.B, commands map[string]*hostwasm.Module, inWorker bool) driver.Host {
	if dir == "" {
		var err error
		if dir, err = os.MkdirTemp("", "bench"); err != nil {
			b.Fatal(err)
		}
	}
	cache := dir + "/cache" // what is compiled is kept for all of them
	if inWorker {
		h, err := worker.New(worker.Config{Commands: commands, CacheDir: cache, TmpDir: b.TempDir(), Pool: 1})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { h.Close() })
		if err := h.PrepareAll(b.Context()); err != nil {
			b.Fatal(err)
		}
		return h
	}
	e, err := wazero.New(wazero.Config{})
	if err != nil {
		b.Fatal(err)
	}
	kept, err := hostwasm.CacheIn(cache)
	if err != nil {
		b.Fatal(err)
	}
	h, err := hostwasm.New(hostwasm.Config{Engine: e, Cache: kept, Commands: commands})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { h.Close() })
	return h
}

// A wasmSession runs a command again and again.
type wasmSession struct {
	host    driver.Host
	command core.Command
	id      core.SessionID
	took    []time.Duration
}

func (s *wasmSession) resolve(b *testing.B) core.Exec {
	b.Helper()
	c := s.command
	c.Session = s.id
	e, err := s.host.Resolve(context.Background(), c)
	if err != nil {
		b.Fatal(err)
	}
	return e
}

func (s *wasmSession) start(b *testing.B, e core.Exec) driver.Process {
	b.Helper()
	p, err := s.host.Start(context.Background(), e)
	if err != nil {
		b.Fatal(err)
	}
	return p
}

func (s *wasmSession) run(b *testing.B) {
	b.Helper()
	e := s.resolve(b)
	begin := time.Now()
	p := s.start(b, e)
	defer p.Close()
	p.Output(func(uint8, []byte) {})
	if exit, err := p.Wait(); err != nil || exit.Status != (core.ExitStatus{}) {
		b.Fatalf("got %+v, %v", exit, err)
	}
	s.took = append(s.took, time.Since(begin))
}

// processorTime returns what this process has had of processors, and all that it has started: those
// that have ended, and those that run.
func processorTime(b *testing.B) (sum time.Duration) {
	for _, who := range []int{unix.RUSAGE_SELF, unix.RUSAGE_CHILDREN} {
		var r unix.Rusage
		if err := unix.Getrusage(who, &r); err != nil {
			b.Fatal(err)
		}
		sum += time.Duration(r.Utime.Nano() + r.Stime.Nano())
	}
	for _, pid := range children(b) {
		const scheduled = 2 // a process's CPU clock: clock_getcpuclockid(3)
		var t unix.Timespec
		if unix.ClockGettime(int32(^pid<<3|scheduled), &t) == nil { // else it has ended
			sum += time.Duration(t.Nano())
		}
	}
	return sum
}

// children returns the processes that this one has started.
func children(b *testing.B) (pids []int) {
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		b.Skip("skipped: ", err)
	}
	for _, task := range tasks {
		// An error means that it has ended.
		list, _ := os.ReadFile("/proc/self/task/" + task.Name() + "/children")
		for _, child := range strings.Fields(string(list)) {
			pid, _ := strconv.Atoi(child)
			pids = append(pids, pid)
		}
	}
	return pids
}

// privateMemory returns how much memory a process has that it shares with nobody, and how much of
// that is code that no file has, both in bytes.
func privateMemory(b *testing.B, pid int) (all, code int64) {
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps", pid))
	if err != nil {
		b.Skip("skipped: ", err)
	}
	executable := false
	for line := range strings.Lines(string(maps)) {
		fields := strings.Fields(line)
		if !strings.HasSuffix(fields[0], ":") {
			executable = fields[1][2] == 'x' && len(fields) == 5
			continue
		}
		if fields[0] != "Private_Dirty:" && fields[0] != "Private_Clean:" {
			continue
		}
		var n int64
		fmt.Sscan(fields[1], &n)
		if all += n << 10; executable {
			code += n << 10
		}
	}
	return all, code
}
