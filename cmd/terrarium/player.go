package main

import (
	"io"
	"os"
	"syscall"
	"time"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/cast"
)

// A player shows a recording at the times at which it was made.
type player struct {
	events    *cast.Reader
	out       io.Writer
	speed     float64          // how many times as fast
	idleLimit time.Duration    // of the recording's time; 0 is none
	keys      <-chan byte      // what the person types; nil if nobody does
	signals   <-chan os.Signal // those that end us

	stopped  bool          // until a key lets it go on
	left     time.Duration // how long the next event was to come after that
	stepping bool          // shows one event though it is stopped
	skipping bool          // to the next mark
	at       time.Duration // of the event that was shown last
	due      time.Time     // when that was to be shown
}

// printAll prints what the terminal was sent, without its times.
func (p *player) printAll() error {
	for {
		e, err := p.events.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if e.Kind != cast.Output {
			continue
		}
		if _, err := io.WriteString(p.out, e.Data); err != nil {
			return err
		}
	}
}

// play shows the recording to its end, or until the person ends it.
func (p *player) play() error {
	p.due = time.Now()
	over := make(chan struct{})
	defer close(over)
	for read := p.read(over); ; {
		e, goOn, err := p.next(read)
		if err == io.EOF {
			return nil
		}
		if !goOn || err != nil {
			return err
		}
		if goOn, err := p.wait(e); !goOn {
			return err
		}
		if e.Kind == cast.Mark {
			p.skipping = false
			continue
		}
		if _, err := io.WriteString(p.out, e.Data); err != nil {
			return err
		}
	}
}

// A readEvent is what a Read of the recording has returned.
type readEvent struct {
	cast.Event
	err error
}

// read reads what is to be shown, until over is closed or the recording has ended. It is a
// goroutine, since a recording may be a pipe on which nothing comes, or one with nothing to show:
// the person ends it all the same. One that still waits for a pipe then is left behind.
func (p *player) read(over <-chan struct{}) <-chan readEvent {
	read := make(chan readEvent)
	go func() {
		for {
			e, err := p.events.Next()
			if err == nil && e.Kind != cast.Output && e.Kind != cast.Mark {
				select {
				case <-over:
					return
				default:
					continue
				}
			}
			select {
			case read <- readEvent{e, err}:
			case <-over:
				return
			}
			if err != nil {
				return
			}
		}
	}()
	return read
}

// next returns what comes next, or why nothing does. It returns false when the person has ended the
// recording by a key, and an error if that was ^C.
func (p *player) next(read <-chan readEvent) (e cast.Event, goOn bool, err error) {
	for {
		select {
		case r := <-read:
			return r.Event, true, r.err
		case key := <-p.keys:
			if ended, err := ends(key); ended {
				return e, false, err
			}
			p.press(key)
		case s := <-p.signals:
			return e, true, endedBy(s)
		}
	}
}

// wait returns when e is to be shown. It returns false when the person has ended the recording, and
// an error if that was by a signal or ^C.
func (p *player) wait(e cast.Event) (goOn bool, err error) {
	gap := e.At - p.at
	if p.idleLimit > 0 {
		gap = min(gap, p.idleLimit)
	}
	p.left = time.Duration(float64(gap) / p.speed)
	p.at, p.due = e.At, p.due.Add(p.left)
	timer := time.NewTimer(time.Until(p.due))
	defer timer.Stop()
	for {
		now := timer.C
		switch {
		case p.stopped && !p.stepping:
			now = nil
		case p.stepping || p.skipping:
			now = past
		}
		select {
		case key := <-p.keys:
			if ended, err := ends(key); ended {
				return false, err
			}
			p.press(key)
			timer.Reset(time.Until(p.due))
			continue
		case s := <-p.signals:
			return false, endedBy(s)
		case <-now:
		}
		if time.Since(p.due) > asleep {
			p.due = time.Now()
		}
		if p.stepping && e.Kind == cast.Output {
			p.stepping = false
		}
		if p.stopped || p.skipping {
			p.due = time.Now() // what was skipped takes no time
		}
		return true, nil
	}
}

// asleep is how late an event is where we were stopped, or the machine has slept: the recording
// goes on from there, and does not hurry through what has passed.
const asleep = 2 * time.Second

const ctrlC = 3

// ends reports whether a key ends the recording, and how we exit then. A raw terminal sends no
// SIGINT for ^C: a script that plays it shall end by ^C all the same.
func ends(key byte) (bool, error) {
	if key == ctrlC {
		return true, endedBy(syscall.SIGINT)
	}
	return key == 'q', nil
}

// endedBy returns how we exit after a signal.
func endedBy(s os.Signal) error { return exitStatus(statusSignal + int(s.(syscall.Signal))) }

// past is a time that has come.
var past = func() <-chan time.Time {
	c := make(chan time.Time)
	close(c)
	return c
}()

// press does what a key says.
func (p *player) press(key byte) {
	switch key {
	case ' ':
		if p.stopped = !p.stopped; p.stopped {
			p.left = max(0, time.Until(p.due))
		} else {
			p.due = time.Now().Add(p.left)
		}
	case '.':
		p.stepping = p.stopped
	case ']':
		p.skipping, p.stopped = true, false
	}
}
