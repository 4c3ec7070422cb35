//go:build linux || darwin

package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// maxRemembered bounds what is remembered of modules.
const maxRemembered = 1024

// compile has a metered module compiled and kept, by a worker that does
// nothing else. ctx ends it, as Limits.Compile does. Several workers may ask
// for the same at once: it is done for the first.
func (h *Host) compile(ctx context.Context, q *ask, module *os.File) error {
	select {
	case h.compiling <- struct{}{}:
		defer func() { <-h.compiling }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if h.compiled[q.Key] && !q.Again {
		return nil // meanwhile
	}
	if err := h.compileNow(ctx, q, module); err != nil {
		return err
	}
	if len(h.compiled) >= maxRemembered {
		clear(h.compiled)
	}
	h.compiled[q.Key] = true
	return nil
}

func (h *Host) compileNow(ctx context.Context, q *ask, module *os.File) error {
	ctx, cancel := context.WithTimeoutCause(ctx, h.limits.Compile,
		fmt.Errorf("compiling takes longer than %v", h.limits.Compile))
	defer cancel()
	if h.config.Compiling != nil {
		if done := h.config.Compiling(q.Name, int(q.Bytes)); done != nil {
			defer done()
		}
	}
	c, err := h.startWorker(ctx, module)
	if err != nil {
		return err
	}
	defer c.close()
	return c.await(ctx, errors.New("the compiler has ended without a result"))
}
