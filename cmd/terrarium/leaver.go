package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync/atomic"
	"time"
)

// A leaver writes for a reader who may not read, until a context ends and a moment longer. A write
// that has to wait then is left behind, and all that follow fail. Its Write is called by one
// goroutine at a time.
type leaver struct {
	ctx  context.Context
	w    io.Writer
	left atomic.Bool
}

// leaveTime is how long a reader has who may be slow, when all is over.
const leaveTime = time.Second

var errUnread = errors.New("nobody reads it")

func (l *leaver) Write(p []byte) (int, error) {
	if l.left.Load() {
		return 0, errUnread
	}
	p = bytes.Clone(p) // it is lent
	done := make(chan error, 1)
	go func() { // ends with the write, or is left behind in it
		_, err := l.w.Write(p)
		done <- err
	}()
	select {
	case err := <-done:
		return len(p), err
	case <-l.ctx.Done():
	}
	select {
	case err := <-done:
		return len(p), err
	case <-time.After(leaveTime):
		l.left.Store(true)
		return 0, errUnread
	}
}
