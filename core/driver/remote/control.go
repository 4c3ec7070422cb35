package remote

import (
	"context"
	"fmt"
	"time"

	"github.com/terrarium-dev/terrarium/core/driver/wire"
)

// operate does what has no parameters.
func (p *process) operate(k kind, turn chan struct{}) error {
	return control(p, k, turn, func(id uint64) *operation { return &operation{id, p.id} })
}

// control sends a request and waits for its answer. There is one at a time that has the turn: the
// far side need not keep more.
func control[T any, M wire.Message[T]](p *process, k kind, turn chan struct{}, m func(id uint64) M) error {
	select {
	case <-p.closed:
		return errClosed
	default:
	}
	select {
	case turn <- struct{}{}:
	case <-p.closed:
		return errClosed
	}
	_, c, err := ask(context.Background(), p.host, k, p, m)
	if err != nil {
		<-turn
		return lostError(err)
	}
	select {
	case <-c.done:
		<-turn
		return c.failure
	case <-p.host.lost:
		<-turn
		return lostError(p.host.err)
	case <-p.closed:
		return errClosed // and nobody gets the turn any more
	}
}

// Close implements driver.Process. It returns before the far side has answered if that takes 5 s,
// as where there is no connection: then the command is closed when there is one, or the far side's
// lease is over.
func (p *process) Close() error {
	p.closing.Do(func() { p.closeErr = p.close() })
	return p.closeErr
}

func (p *process) close() error {
	_, c, err := ask(context.Background(), p.host, kindClose, p, func(id uint64) *operation { return &operation{id, p.id} })
	p.mu.Lock()
	p.leave()
	p.mu.Unlock()
	if err != nil {
		p.forget()
		return nil // the far side is lost, and closes it by itself
	}
	late := time.NewTimer(closeLimit)
	defer late.Stop()
	select {
	case <-c.done:
		return c.failure
	case <-p.host.lost:
		p.forget()
		return nil
	case <-late.C:
		return fmt.Errorf("remote: close: the far side does not answer within %v", closeLimit)
	}
}
