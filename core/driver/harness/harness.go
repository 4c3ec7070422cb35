package harness

import (
	"context"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/challenge"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// Config is a task, who does it, and where. Host, Agent and the challenge's
// Instruction are needed.
type Config struct {
	Host  driver.Host
	Agent Agent
	// Challenge is the task and its limits.
	Challenge challenge.Config

	// Core is the machine's configuration. Screens is set.
	Core core.Config
	// Shell is what the agent types at. If its Command is empty, it is "bash
	// --login", or "sh -i" where there is no bash; a zero size is 160x40, and a
	// zero OutputByteLimit 16 MiB. It has a screen, on a pty, and gets what is
	// typed, whatever is set.
	Shell core.Command

	// Decide, if set, is asked before the shell starts. See driver.Config. What is typed at the
	// shell is not judged.
	Decide func(ctx context.Context, e core.Exec) core.Decision
	// Wrap, if set, changes what the shell's driver is made of, as audit.Recorder.Wrap.
	Wrap func(c driver.Config) driver.Config

	// OnOutput, if set, is called with what the terminal is sent, before it
	// shows. p is lent.
	OnOutput func(p []byte)
	// OnTurn, if set, is called when an answer has been read, and before
	// anything is typed.
	OnTurn func(t Turn)
}

// A Turn is one question and its answer.
type Turn struct {
	Request
	Answer string
	// Truncated says that the rest of Answer is missing.
	Truncated bool
	// Result is what was made of it.
	Result challenge.Result
	// Asked and Answered say when.
	Asked, Answered time.Time
}

// A Result is how it went.
type Result struct {
	Outcome challenge.Outcome
	// Reason says for which limit the shell was killed, if it was: the Outcome is
	// challenge.TerminalEnded then.
	Reason core.Reason
	// Err says why the agent has ended, if that is the Outcome.
	Err error
	// Turns is how often the agent was asked, and Commands how much it had
	// typed.
	Turns, Commands int
	// Screen is what the terminal has shown last.
	Screen string
}

// Run has the agent do the task, and returns when nothing of the shell is left
// running. The error is why there was no shell, or ctx's: it says nothing of
// the task, whose Outcome is in the Result.
func Run(ctx context.Context, c Config) (Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r := &run{config: c, host: &keeper{Host: c.Host}, began: time.Now()}
	c.Core.Screens = true
	c.Core.MaxInput = max(c.Core.MaxInput, maxTyped)
	c.Core.MaxOutputByteLimit = max(c.Core.MaxOutputByteLimit, c.Shell.OutputByteLimit, defaultKept)
	r.driver = driver.New(wrapped(c.Wrap, driver.Config{Host: r.host, Core: c.Core, Decide: c.Decide, OnOutput: r.handleOutput}))
	defer r.driver.Close()
	if err := r.create(ctx); err != nil {
		return Result{}, err
	}
	r.machine = challenge.New(c.Challenge)
	err := r.loop(ctx)
	cancel()
	r.work.Wait()
	result := r.result()
	r.hangUp()
	return result, err
}

func wrapped(wrap func(driver.Config) driver.Config, c driver.Config) driver.Config {
	if wrap == nil {
		return c
	}
	return wrap(c)
}
