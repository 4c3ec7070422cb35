package fleet

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A Listing is what a tenant's workers say of themselves, and how many requests wait for one.
type Listing struct {
	Workers []Presence `json:"workers"` // by name
	Waiting int        `json:"waiting"`
}

// listTime is for how long heartbeats are heard: each worker sends one in that time.
const listTime = heartbeat + heartbeat/4

// List hears the workers of the client's tenant, for somewhat more than a heartbeat.
func List(ctx context.Context, c *Client) (*Listing, error) {
	ctx, stop := c.heed(ctx)
	defer stop()
	heard := make(chan *nats.Msg, 256)
	sub, err := c.nats.ChanSubscribe(Heartbeats, heard)
	if err != nil {
		return nil, err
	}
	defer sub.Unsubscribe()
	js, err := jetstream.New(c.nats)
	if err != nil {
		return nil, err
	}
	asking, cancel := context.WithTimeout(ctx, connectLimit)
	defer cancel()
	l := &Listing{Workers: []Presence{}}
	l.Waiting, err = waiting(asking, js)
	// A server of somebody else's has no queue before the first worker comes.
	if err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil, refusedOr(ctx, err)
	}
	found := make(map[string]Presence)
	late := time.NewTimer(listTime)
	defer late.Stop()
	for {
		select {
		case m := <-heard:
			p, err := ParsePresence(m.Data)
			if _, known := found[p.Instance]; err == nil && (known || len(found) < maxSeen) {
				found[p.Instance] = p
			}
			continue
		case <-late.C:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		for _, p := range found {
			l.Workers = append(l.Workers, p)
		}
		slices.SortFunc(l.Workers, func(a, b Presence) int {
			return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Instance, b.Instance))
		})
		return l, nil
	}
}
