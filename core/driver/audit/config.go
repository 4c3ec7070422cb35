package audit

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// Config says what becomes of events.
type Config struct {
	// Log, if set, is where they are written. New does not own it.
	Log *Log
	// Required has no command start that is not on record: one whose Create or Allow can't be
	// written is refused, and one whose Start can't is killed at once. Otherwise it goes on, and
	// the record tells of the gap as soon as it can be written again.
	Required bool
	// OnTrouble, if set, is called when an event could not be written, and not again before one
	// could.
	OnTrouble func(err error)
	// Logger, if set, is told of the same in words: it is for people, OnTrouble for programs.
	Logger driver.Logger
	// OnEvent, if set, is called with each event before it is written, one at a time, those of a
	// terminal in their order. It may set TraceID and SpanID, and must not change the rest. e is
	// lent.
	OnEvent func(e *Event)

	// Agent, if set, says who asks for a command, given the context of driver.Host.Resolve.
	Agent func(ctx context.Context) Agent
}

// A Recorder turns what a driver does into events. Its methods are safe for concurrent use.
type Recorder struct {
	config Config
	id     string
	began  time.Time

	mu        sync.Mutex // guards the fields below, and the order of events
	terminals map[core.TerminalID]*terminal
	troubled  bool
}

// New begins to record: a HostStart is the first event. Close ends it. The error is that of Log.
func New(c Config) (*Recorder, error) {
	r := &Recorder{config: c, id: rand.Text(), began: time.Now(), terminals: map[core.TerminalID]*terminal{}}
	cwd, _ := os.Getwd() // it may be gone
	return r, r.record(&Event{Event: HostStart, Pid: os.Getpid(), Cwd: cwd})
}

// Close records the HostStop. The drivers must be closed before.
func (r *Recorder) Close() error { return r.record(&Event{Event: HostStop, Pid: os.Getpid()}) }

// record hands an event over. An error means that it is not on record.
func (r *Recorder) record(e *Event) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.write(e)
}

// write is record with mu held.
func (r *Recorder) write(e *Event) error {
	now := time.Now()
	e.Time, e.Mono, e.HostID = now.UTC(), now.Sub(r.began), r.id
	if r.config.OnEvent != nil {
		r.config.OnEvent(e)
	}
	if r.config.Log == nil {
		return nil
	}
	err := r.config.Log.Append(e)
	if err != nil && !r.troubled {
		r.tellTrouble(err)
	}
	r.troubled = err != nil
	return err
}

// tellTrouble tells that events can't be written.
func (r *Recorder) tellTrouble(err error) {
	driver.LoggerOf(r.config.Logger).Warn("command not recorded", "err", err)
	if r.config.OnTrouble != nil {
		r.config.OnTrouble(err)
	}
}

// required is the error for who asks for a command that err keeps from the record, if it must not
// go on without.
func (r *Recorder) required(err error) error {
	if err == nil || !r.config.Required {
		return nil
	}
	return &core.HostError{
		Reason: "not_recorded", Message: fmt.Sprintf("nothing may run that is not on record: %v", err), Err: err,
	}
}
