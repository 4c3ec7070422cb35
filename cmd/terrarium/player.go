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
	for {
		e, err := p.events.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if e.Kind != cast.Output && e.Kind != cast.Mark {
			continue
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

// wait returns when e is to be shown. It returns false when the person has ended the recording, and
// an error if that was by a signal.
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
			if key == 'q' || key == ctrlC {
				return false, nil
			}
			p.press(key)
			timer.Reset(time.Until(p.due))
			continue
		case s := <-p.signals:
			return false, exitStatus(statusSignal + int(s.(syscall.Signal)))
		case <-now:
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

const ctrlC = 3

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
