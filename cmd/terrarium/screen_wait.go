package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/terrarium-dev/terrarium/core/vt"
)

// settled is what --wait says for a screen on which nothing changes any longer.
const settled = "settled"

// settledAfter is for how long nothing more must have come until a screen is settled.
const settledAfter = 500 * time.Millisecond

// A chunk is what a Read has returned.
type chunk struct {
	p   []byte
	err error
}

// chunks reads r on a goroutine, which is left behind when nobody takes any more.
func chunks(r io.Reader) <-chan chunk {
	c := make(chan chunk)
	go func() {
		for {
			buf := make([]byte, 64<<10)
			n, err := r.Read(buf)
			if c <- (chunk{buf[:n], err}); err != nil {
				return
			}
		}
	}()
	return c
}

// waitFor returns the screen that what r holds draws as soon as it shows what was waited for. If r
// ends before, it returns the last screen with an error.
func (f *screenFlags) waitFor(r io.Reader) (*vt.Screen, error) {
	d := f.draw()
	// It begins when something has come: what writes may take long to start.
	quiet := time.NewTimer(settledAfter)
	defer quiet.Stop()
	quiet.Stop()
	for in := chunks(r); ; {
		select {
		case c := <-in:
			d.write(c.p)
			switch {
			case f.wait != settled && d.shows(f.wait):
				return d.screen, nil
			case c.err == io.EOF:
				return d.end(f.wait)
			case c.err != nil:
				return nil, c.err
			}
			quiet.Reset(settledAfter)
		case <-quiet.C:
			d.screen.EndSynchronized() // nobody waits for the rest of a frame
			if f.wait == settled || d.shows(f.wait) {
				return d.screen, nil
			}
		}
	}
}

// end is what is returned at the end of input.
func (d *drawing) end(wanted string) (*vt.Screen, error) {
	d.screen.EndSynchronized()
	if wanted == settled || d.shows(wanted) {
		return d.screen, nil
	}
	return d.screen, fmt.Errorf("the input has ended, and the screen does not show %q", wanted)
}

func (d *drawing) shows(text string) bool {
	return strings.Contains(string(d.screen.AppendText(nil)), text)
}
