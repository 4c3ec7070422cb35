package driver

import (
	"context"
	"io"
)

// A Follower reads a terminal's output while the command writes it. It is made by
// [Terminal.Follow], and not safe for concurrent use.
type Follower struct {
	ctx  context.Context
	term *Terminal
	next uint64 // in the whole of the output
	lost uint64
	rest []byte // was taken and not read yet
	err  error
}

var _ io.Reader = (*Follower)(nil)

// Follow returns a reader of the output as the terminal keeps it, rendered as its
// core.Command says, from the oldest byte that is kept on. A Read waits until there
// is more, and returns io.EOF when the command has ended and all is read, or ctx's
// error. A reader holds up no command: who reads later than the output limit lets
// misses what has gone, see [Follower.Lost]. The line that a command of rendering
// "text" is still writing, and the screen of one of rendering "screen", come with
// their end.
func (t *Terminal) Follow(ctx context.Context) *Follower { return &Follower{ctx: ctx, term: t} }

// Lost returns how many bytes of the output were gone before they were read.
func (f *Follower) Lost() uint64 { return f.lost }

// Read implements io.Reader.
func (f *Follower) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for len(f.rest) == 0 && f.err == nil {
		f.err = f.take()
	}
	if len(f.rest) == 0 {
		return 0, f.err
	}
	n := copy(p, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

// take waits for output and takes what there is, or says why there is no more.
func (f *Follower) take() error {
	known, err := f.term.started(f.ctx)
	if err != nil {
		return err
	}
	over := false
	for {
		known.mu.Lock()
		var lost uint64
		f.rest, f.next, lost = known.output.AppendSince(f.rest[:0], f.next)
		f.lost += lost
		changed := known.watch()
		known.mu.Unlock()
		switch {
		case len(f.rest) > 0:
			return nil
		case over:
			return io.EOF
		}
		select {
		case <-changed:
		case <-known.exit:
			over = true
		case <-f.ctx.Done():
			return f.ctx.Err()
		}
	}
}
