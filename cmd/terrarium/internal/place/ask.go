package place

import (
	"context"
	"io"
)

// ask runs far over there without input, and returns the first of what it prints. The error is a
// *Failure if the program has failed, after what it has printed, and the cause of ctx if that has
// ended.
func (p *Place) ask(ctx context.Context, far ...string) (out string, err error) {
	c, err := p.start(true, far...)
	if err != nil {
		return "", err
	}
	defer func() { // and no program is left behind
		c.Close()
		<-c.ended
	}()
	defer context.AfterFunc(ctx, func() { c.Close() })()
	c.in.Close()
	b, _ := io.ReadAll(io.LimitReader(c, maxSaid)) // its error is how the program has ended
	if len(b) == maxSaid {
		io.Copy(io.Discard, c) // or the program would wait
	}
	select {
	case <-c.ended:
	case <-ctx.Done():
	}
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case c.status != 0:
		return string(b), c.explain("")
	}
	return string(b), nil
}
