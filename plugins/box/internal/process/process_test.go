package process

import (
	"context"
	"errors"
	"slices"
	"syscall"
	"testing"
)

const (
	hup  = 1
	pipe = 13
	term = 15
	chld = 17
)

// begin returns the process of a shell that runs "shell".
func begin(t *testing.T) (context.Context, *Process) {
	ctx, p := First(t.Context(), []string{"shell"})
	return ctx, p
}

func TestStart(t *testing.T) {
	ctx, shell := begin(t)
	shell.SetName("script")
	sub := shell.Fork(ctx)
	if got := Of(sub); got.Name() != "script" || !slices.Equal(got.Args(), []string{"shell"}) {
		t.Errorf("a subshell is called %q, %q, want what its parent is called", got.Name(), got.Args())
	}
	run, command, end := Start(sub, []string{"sleep", "1"})
	if command.Name() != "" || !slices.Equal(command.Args(), []string{"sleep", "1"}) {
		t.Errorf("a command is called %q, %q", command.Name(), command.Args())
	}
	if command.ParentID() != Of(sub).ID() || Of(run) != command {
		t.Errorf("got parent %d, want %d", command.ParentID(), Of(sub).ID())
	}
	var pids []int
	for _, p := range []*Process{shell, Of(sub), command} {
		pids = append(pids, p.ID())
	}
	if slices.Sort(pids); len(slices.Compact(pids)) != 3 {
		t.Errorf("got numbers %d, want three", pids)
	}
	end()
	if run.Err() == nil {
		t.Error("the context of what has ended goes on")
	}
	if err := shell.Kill(command.ID(), 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("got %v of what has ended, want %v", err, syscall.ESRCH)
	}
	if err := shell.Kill(Of(sub).ID(), 0); err != nil {
		t.Errorf("got %v of a subshell, which is there", err)
	}
}

// exec replaces a process: the next command has its number and is called as the command is.
func TestReplace(t *testing.T) {
	ctx, shell := begin(t)
	sub := shell.Fork(ctx)
	p := Of(sub)
	p.Catch(func(int) bool { return true })
	p.Replace()
	run, command, end := Start(sub, []string{"cat"})
	if command != p || run != sub || !slices.Equal(p.Args(), []string{"cat"}) {
		t.Errorf("got %p, %q, want %p to be cat", command, p.Args(), p)
	}
	end()
	if sub.Err() != nil {
		t.Error("who was replaced has ended with the command that took its place, before End")
	}
	if shell.Kill(p.ID(), term); p.Signal() != term {
		t.Errorf("got %d, want the trap of who was replaced to be gone", p.Signal())
	}
}

func TestSignals(t *testing.T) {
	for _, c := range []struct {
		name         string
		signal       int
		ignore       int // a signal
		catches      bool
		want, caught int
	}{
		{"it ends", term, 0, false, term, 0},
		{"another end", hup, 0, false, hup, 0},
		{"asked whether it is there", 0, 0, false, 0, 0},
		{"harmless", chld, 0, false, 0, 0},
		{"ignored", term, term, false, 0, 0},
		{"another one ignored", term, hup, false, term, 0},
		{"caught", term, 0, true, 0, term},
		{"caught and ignored", term, term, true, 0, 0},
		{"KILL is not ignored", kill, kill, false, kill, 0},
		{"KILL is not caught", kill, 0, true, kill, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, shell := begin(t)
			sub := shell.Fork(ctx)
			p, caught := Of(sub), 0
			if c.ignore != 0 {
				p.Ignore(c.ignore, true)
			}
			if c.catches {
				p.Catch(func(signal int) bool {
					caught = signal
					return true
				})
			}
			if err := shell.Kill(p.ID(), c.signal); err != nil {
				t.Fatal(err)
			}
			if p.Signal() != c.want || caught != c.caught || (sub.Err() != nil) != (c.want != 0) {
				t.Errorf("got %d, caught %d, %v, want %d, %d", p.Signal(), caught, sub.Err(), c.want, c.caught)
			}
			status := 7
			if c.want != 0 {
				status = 128 + c.want
			}
			if got := p.Status(7); got != status {
				t.Errorf("got status %d, want %d", got, status)
			}
			p.End()
			if shell.Waited() != c.want {
				t.Errorf("the parent has waited for %d, want %d", shell.Waited(), c.want)
			}
		})
	}
}

// The first signal is what a process has ended by.
func TestFirstSignal(t *testing.T) {
	ctx, shell := begin(t)
	p := Of(shell.Fork(ctx))
	shell.Kill(p.ID(), hup)
	shell.Kill(p.ID(), kill)
	if p.Signal() != hup {
		t.Errorf("got %d, want %d", p.Signal(), hup)
	}
}

// What ignores a signal hands that on to what it starts, until it ignores it no longer.
func TestInherited(t *testing.T) {
	ctx, shell := begin(t)
	sub := shell.Fork(ctx)
	Of(sub).Ignore(hup, true)
	_, early, _ := Start(sub, []string{"early"})
	Of(sub).Ignore(hup, false)
	_, late, _ := Start(sub, []string{"late"})
	shell.Kill(early.ID(), hup)
	shell.Kill(late.ID(), hup)
	if early.Signal() != 0 || late.Signal() != hup {
		t.Errorf("got %d and %d, want 0 and %d", early.Signal(), late.Signal(), hup)
	}
}

func TestKillBelow(t *testing.T) {
	ctx, shell := begin(t)
	a := shell.Fork(ctx)
	_, below, _ := Start(a, []string{"below"})
	_, beside, _ := Start(ctx, []string{"beside"})
	Of(a).KillBelow(term)
	if below.Signal() != term || beside.Signal() != 0 || Of(a).Signal() != 0 || shell.Signal() != 0 {
		t.Errorf("got %d, %d, %d, %d, want only what is below to have ended", below.Signal(), beside.Signal(), Of(a).Signal(), shell.Signal())
	}
}

// A write that nobody reads ends who writes, unless it ignores that.
func TestRaise(t *testing.T) {
	ctx, shell := begin(t)
	p := Of(shell.Fork(ctx))
	p.Ignore(pipe, true)
	if p.Raise(pipe) {
		t.Error("what ignores SIGPIPE has ended by it")
	}
	p.Ignore(pipe, false)
	if !p.Raise(pipe) || p.Signal() != pipe {
		t.Errorf("got %d, want %d", p.Signal(), pipe)
	}
}

// No process: nothing happens, and nothing panics.
func TestNone(t *testing.T) {
	ctx, p, end := Start(t.Context(), []string{"x"})
	if p != nil || ctx != t.Context() {
		t.Errorf("got %v, want none", p)
	}
	end()
	p.End()
	p.SetName("x")
	p.SetArgs(nil)
	p.Replace()
	p.Ignore(hup, true)
	p.KillBelow(term)
	if !p.Raise(pipe) || p.Signal() != 0 || p.Waited() != 0 || p.Number() != 0 {
		t.Error("got something of no process")
	}
	first, _ := begin(t)
	if Of(Without(first)) != nil {
		t.Error("got a process, want none")
	}
}
