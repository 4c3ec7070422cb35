package audit_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/driver/audit"
)

var errNotFound = errors.New("no such command")

// host runs commands that exist only in memory: "sleep" ends on SIGTERM, "greedy" by a limit, all
// others at once. "nosuch" is not there. onStart, if set, is called with each process.
type host struct{ onStart func(p *process) }

func (h host) Resolve(ctx context.Context, c core.Command) (core.Exec, error) {
	switch c.Command {
	case "nosuch":
		return core.Exec{}, errNotFound
	case "slow":
		<-ctx.Done()
		return core.Exec{}, ctx.Err()
	}
	return core.Exec{Command: c, Argv: append([]string{"/" + c.Command}, c.Args...), Via: core.ViaFile}, nil
}

func (h host) Start(ctx context.Context, e core.Exec) (driver.Process, error) {
	if e.Command.Command == "slow-start" {
		<-ctx.Done()
		time.Sleep(time.Millisecond) // in the bubble's time: that it was given up is told first
	}
	p := &process{command: e.Command.Command, ended: make(chan struct{})}
	if p.command != "sleep" && p.command != "slow-start" {
		p.end(core.ExitStatus{ExitCode: 3})
	}
	if h.onStart != nil {
		h.onStart(p)
	}
	return p, nil
}

type process struct {
	command string
	once    sync.Once
	exit    core.Exit
	ended   chan struct{}
}

func (p *process) end(s core.ExitStatus) {
	p.once.Do(func() {
		p.exit.Status = s
		if p.command == "greedy" {
			p.exit.Reason = core.ReasonMemory
		}
		close(p.ended)
	})
}

func (p *process) hasEnded() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

func (p *process) Output(sink func(uint8, []byte)) error {
	sink(1, []byte("hello\n"))
	<-p.ended
	return nil
}
func (p *process) Write(b []byte) (int, error) { return len(b), nil }
func (p *process) CloseInput() error           { return nil }
func (p *process) Resize(int, int) error       { return nil }
func (p *process) Place() (int, string)        { return 42, "/cgroup" }
func (p *process) Signal(name string) error {
	if name != "SIGCONT" {
		p.end(core.ExitStatus{Signal: name})
	}
	return nil
}
func (p *process) Wait() (core.Exit, error) { <-p.ended; return p.exit, nil }
func (p *process) Close() error             { p.end(core.ExitStatus{Signal: "SIGKILL"}); return nil }

// told is what a recorder tells of what test does with a driver, in short.
func told(t *testing.T, config driver.Config, test func(t *testing.T, d *driver.Driver)) (events []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r, err := audit.New(audit.Config{
			OnEvent: func(e *audit.Event) { events = append(events, short(e)) },
			Agent:   func(context.Context) audit.Agent { return audit.Agent{Name: "zed"} },
		})
		if err != nil {
			t.Fatal(err)
		}
		d := driver.New(r.Wrap(config))
		test(t, d)
		d.Close()
		r.Close()
	})
	if len(events) < 2 || events[0] != "host_start" || events[len(events)-1] != "host_stop" {
		t.Fatalf("got %q, want host_start first and host_stop last", events)
	}
	return events[1 : len(events)-1]
}

func short(e *audit.Event) string {
	s := string(e.Event)
	add := func(name string, v any) {
		if text := strings.Trim(fmt.Sprint(v), "[]"); text != "" && text != "0" {
			s += " " + name + "=" + text
		}
	}
	add("argv", e.Argv)
	add("commands", e.Commands)
	add("env", e.EnvNames)
	add("rule", e.RuleID)
	add("by", e.By)
	if e.Event == audit.Start {
		add("pid", e.Pid)
	}
	if e.Status != nil {
		add("status", e.Status)
	}
	add("signal", e.Signal)
	add("reason", e.Reason)
	add("out", e.BytesOut)
	return s
}

func create(t *testing.T, d *driver.Driver, c core.Command) core.TerminalID {
	term, err := d.Create(t.Context(), "s", c)
	synctest.Wait()
	if err != nil {
		return "" // which some cases want
	}
	return term.ID()
}

func TestEvents(t *testing.T) {
	decide := func(ctx context.Context, e core.Exec) core.Decision {
		switch e.Command.Command {
		case "asked":
			audit.Judged(ctx, audit.Judgement{Decision: "ask", RuleID: "r1", By: "rule", Commands: [][]string{{"asked"}}})
			audit.Judged(ctx, audit.Judgement{Decision: "allow", By: "person"})
			return core.Decision{Allow: true}
		case "denied":
			audit.Judged(ctx, audit.Judgement{Decision: "deny", RuleID: "r2", By: "rule", Reason: "no"})
			return core.Decision{Reason: "no"}
		}
		return core.Decision{Allow: true}
	}
	tests := []struct {
		name    string
		config  driver.Config
		command core.Command
		then    func(d *driver.Driver, id core.TerminalID)
		want    []string
	}{
		{"by itself", driver.Config{}, core.Command{Command: "x", Args: []string{"y"}, Env: []core.EnvVariable{{Name: "N", Value: "secret"}}}, nil, []string{
			"create argv=x y env=N", "start argv=/x y pid=42", "exit status=exit 3", "release out=6",
		}},
		{"killed", driver.Config{}, core.Command{Command: "sleep"}, func(d *driver.Driver, id core.TerminalID) { d.Terminal(id).Kill() }, []string{
			"create argv=sleep", "start argv=/sleep pid=42", "kill signal=SIGTERM reason=killed", "exit status=SIGTERM reason=killed", "release out=6",
		}},
		{"too long", driver.Config{}, core.Command{Command: "sleep", Timeout: time.Second}, func(*driver.Driver, core.TerminalID) { time.Sleep(2 * time.Second) }, []string{
			"create argv=sleep", "start argv=/sleep pid=42", "limit reason=timeout", "kill signal=SIGTERM reason=timeout",
			"exit status=SIGTERM reason=timeout", "release out=6",
		}},
		{"too much", driver.Config{}, core.Command{Command: "greedy"}, nil, []string{
			"create argv=greedy", "start argv=/greedy pid=42", "limit reason=memory", "exit status=exit 3 reason=memory", "release out=6",
		}},
		{"not there", driver.Config{}, core.Command{Command: "nosuch"}, nil, []string{
			"create argv=nosuch", "fail reason=no such command",
		}},
		{"invalid", driver.Config{}, core.Command{Command: "x", Cwd: "relative"}, nil, []string{
			"create argv=x", `fail reason=core: invalid cwd: not_absolute: "relative"`,
		}},
		{"too many", driver.Config{Core: core.Config{MaxTerminals: 1}}, core.Command{Command: "sleep"}, func(d *driver.Driver, _ core.TerminalID) {
			d.Create(context.Background(), "s", core.Command{Command: "x"})
		}, []string{
			"create argv=sleep", "start argv=/sleep pid=42", "create argv=x", "limit reason=terminals: 1",
			"kill signal=SIGTERM reason=released", "exit status=SIGTERM reason=released", "release out=6",
		}},
		{"asked about", driver.Config{Decide: decide}, core.Command{Command: "asked"}, nil, []string{
			"create argv=asked", "ask argv=/asked commands=asked rule=r1 by=rule", "allow argv=/asked commands=asked rule=r1 by=person",
			"start argv=/asked pid=42", "exit status=exit 3", "release out=6",
		}},
		{"denied", driver.Config{Decide: decide}, core.Command{Command: "denied"}, nil, []string{
			"create argv=denied", "deny argv=/denied rule=r2 by=rule reason=no",
		}},
		{"given up while it is resolved", driver.Config{}, core.Command{Command: "slow", Timeout: time.Second}, nil, []string{
			"create argv=slow", "fail reason=timed out after 1s, before the command ran",
		}},
		{"given up while it starts", driver.Config{}, core.Command{Command: "slow-start", Timeout: time.Second}, nil, []string{
			"create argv=slow-start", "fail reason=timed out after 1s, before the command ran", "start argv=/slow-start pid=42",
			"kill signal=SIGKILL", "release out=6",
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.config.Host = host{}
			got := told(t, test.config, func(t *testing.T, d *driver.Driver) {
				id := create(t, d, test.command)
				if test.then != nil {
					test.then(d, id)
					synctest.Wait()
				}
			})
			if !slices.Equal(got, test.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
		})
	}
}

// What is given up at once, however far it has come, is on record from its create to its end.
func TestGivenUpAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		events := map[core.TerminalID][]audit.Kind{}
		r, err := audit.New(audit.Config{OnEvent: func(e *audit.Event) {
			events[e.Terminal] = append(events[e.Terminal], e.Event)
		}})
		if err != nil {
			t.Fatal(err)
		}
		d := driver.New(r.Wrap(driver.Config{Host: host{}}))
		for range 100 {
			term, err := d.Begin("s", core.Command{Command: "x"})
			if err != nil {
				t.Fatal(err)
			}
			term.Release()
		}
		d.Close()
		delete(events, "") // of the program
		for _, got := range events {
			last := got[len(got)-1]
			if got[0] != audit.Create || slices.Contains(got[1:], audit.Create) || last != audit.Fail && last != audit.Release {
				t.Errorf("got %q, want a create and, in the end, fail or release", got)
			}
		}
		if len(events) != 100 {
			t.Errorf("got %d commands on record, want 100", len(events))
		}
	})
}

// Wrapping keeps what others want to hear.
func TestWrapPassesOn(t *testing.T) {
	var heard []string
	note := func(s string) { heard = append(heard, s) }
	config := driver.Config{
		Host: host{}, Core: core.Config{MaxTerminals: 1},
		OnNews:    func(e *core.Effect) { note(e.Kind.String()) },
		OnWork:    func(e *core.Effect) { note(e.Kind.String()) },
		OnClosing: func(*core.Terminal) { note("closing") },
		OnRefused: func(core.SessionID, *core.Command, error) { note("refused") },
	}
	told(t, config, func(t *testing.T, d *driver.Driver) {
		id := create(t, d, core.Command{Command: "sleep"})
		create(t, d, core.Command{Command: "sleep"})
		d.Terminal(id).Kill()
		synctest.Wait()
	})
	if want := []string{"started", "refused", "signal", "signal", "exited", "closing", "close"}; !slices.Equal(heard, want) {
		t.Errorf("got %q, want %q", heard, want)
	}
}
