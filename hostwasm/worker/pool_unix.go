//go:build linux || darwin

package worker

import (
	"context"
	"sync"
)

// A pool keeps workers warm. It is safe for concurrent use.
type pool struct {
	host  *Host
	slots chan *slot // as many as are kept, some of them not ready yet

	filling sync.WaitGroup
}

// A slot is a worker that is warm soon.
type slot struct {
	ready chan struct{} // closed when one of these is known:
	child *child
	err   error
}

func newPool(h *Host, size int) *pool {
	if size == 0 {
		size = defaultPool
	}
	p := &pool{host: h, slots: make(chan *slot, max(size, 0))}
	for range cap(p.slots) {
		p.fill()
	}
	return p
}

// fill starts a worker, if one is missing.
func (p *pool) fill() {
	s := &slot{ready: make(chan struct{})}
	select {
	case p.slots <- s:
	default:
		return
	}
	p.filling.Go(func() { // ends when the worker is warm, or with the host
		s.child, s.err = p.host.startWorker(context.Background(), setup{})
		close(s.ready)
	})
}

// take returns a worker that is warm, or starts one.
func (p *pool) take(ctx context.Context) (*child, error) {
	for {
		select {
		case s := <-p.slots:
			select {
			case <-s.ready:
			case <-ctx.Done():
				go func() { // soon
					<-s.ready
					if s.child != nil {
						s.child.close()
					}
					p.fill()
				}()
				return nil, context.Cause(ctx)
			}
			if s.err != nil {
				continue // as it was then: what is wrong now, if it still is, the next one tells
			}
			select {
			case <-s.child.ended: // meanwhile; the next may be better
				continue
			default:
				return s.child, nil
			}
		default:
			return p.host.startWorker(ctx, setup{})
		}
	}
}

// wait waits until nothing is started any longer.
func (p *pool) wait() { p.filling.Wait() }
