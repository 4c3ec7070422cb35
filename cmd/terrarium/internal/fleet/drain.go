package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
)

const (
	drainAnswer = 2 * heartbeat          // for the first worker of a name to say that it drains
	drainOthers = 500 * time.Millisecond // for others that are called so too
)

// Drain asks workers of that name to drain, and returns what they say of themselves then.
func Drain(ctx context.Context, c *Client, worker string, within time.Duration) ([]Presence, error) {
	if err := CheckName(worker); err != nil {
		return nil, err
	}
	b, err := json.Marshal(DrainRequest{true, within})
	if err != nil {
		return nil, err
	}
	ctx, stop := c.heed(ctx)
	defer stop()
	heard := make(chan *nats.Msg, 256)
	inbox := c.nats.NewInbox()
	for _, subject := range []string{inbox, HeartbeatSubject(worker)} {
		sub, err := c.nats.ChanSubscribe(subject, heard)
		if err != nil {
			return nil, err
		}
		defer sub.Unsubscribe()
	}
	if err := c.nats.PublishRequest(DrainSubject(worker), inbox, b); err != nil {
		return nil, err
	}
	found := make(map[string]bool)
	var list []Presence
	late := time.NewTimer(drainAnswer)
	defer late.Stop()
	for {
		select {
		case m := <-heard:
			if isNobody(m) {
				return nil, fmt.Errorf("no worker is called %s: terrarium fleet ls names them", worker)
			}
			p, err := ParsePresence(m.Data)
			if err == nil && p.Draining && !found[p.Instance] {
				found[p.Instance] = true
				list = append(list, p)
				late.Reset(drainOthers)
			}
		case <-late.C:
			if len(list) == 0 {
				return nil, fmt.Errorf("worker %s does not answer", worker)
			}
			return list, nil
		case <-ctx.Done():
			return list, context.Cause(ctx)
		}
	}
}
