package audit

import (
	"context"
	"time"

	"github.com/terrarium-dev/terrarium/core"
)

// Fetched is what became of a request that a Host has made for a command.
type Fetched struct {
	Method, URL string
	Status      int // of the response; 0 if none came
	// Sent and Received are bytes of bodies.
	Sent, Received int64
	Duration       time.Duration
	Error          string // why not all of it came, or nothing; empty if all did
}

// fetchedKey is where Start's context has what TellFetched calls.
type fetchedKey struct{}

// TellFetched tells the record of a request, given the context of driver.Host.Start or one that
// has its values. Where nothing is recorded it does nothing.
func TellFetched(ctx context.Context, f Fetched) {
	if fetched, ok := ctx.Value(fetchedKey{}).(func(Fetched)); ok {
		fetched(f)
	}
}

// fetched records a request. One that ends when its terminal has been released is recorded too:
// its URL is where something of the terminal's may have gone.
func (r *Recorder) fetched(id core.TerminalID, f Fetched) {
	e, ok := r.with(id, func(*terminal, *Event) {})
	if !ok {
		e.Terminal = id
	}
	e.Event, e.Method, e.URL, e.HTTPStatus = Fetch, f.Method, f.URL, f.Status
	e.BytesSent, e.BytesReceived, e.Duration, e.Reason = f.Sent, f.Received, f.Duration, f.Error
	r.record(&e)
}
