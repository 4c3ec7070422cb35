package main

import (
	"fmt"
	"os"
	"time"
)

// A progress shows on a terminal how far something is that takes longer than a
// second. Elsewhere it shows nothing.
type progress struct {
	to    *os.File // nil if it shows nothing
	what  string
	size  int64     // in bytes
	next  time.Time // when to show it again
	shown bool
}

func newProgress(to *os.File, what string, size int64) *progress {
	p := &progress{what: what, size: size, next: time.Now().Add(time.Second)}
	if isTerminal(to) {
		p.to = to
	}
	return p
}

// at is told how many bytes are done.
func (p *progress) at(n int64) {
	now := time.Now()
	if p.to == nil || now.Before(p.next) {
		return
	}
	p.next, p.shown = now.Add(time.Second/4), true
	fmt.Fprintf(p.to, "\rterrarium: %s: %s of %s\x1b[K", p.what, about(n), about(p.size))
}

// end takes away what was shown.
func (p *progress) end() {
	if p.shown {
		fmt.Fprint(p.to, "\r\x1b[K")
	}
}
