package fleet

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// What the queue of a tenant holds at the most.
const (
	maxWaiting    = 10_000  // requests
	maxRequest    = 1 << 10 // bytes of each
	maxRequestAge = time.Hour
)

// StreamConfig is how the queue of requests is made. It is on the disk, so that who waits goes on
// waiting where the server starts again.
func StreamConfig() jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name: Stream, Subjects: []string{Requests},
		Retention: jetstream.WorkQueuePolicy, Discard: jetstream.DiscardNew, Storage: jetstream.FileStorage,
		MaxMsgs: maxWaiting, MaxMsgSize: maxRequest, MaxAge: maxRequestAge,
		AllowMsgTTL: true, // a request goes when nobody waits for it any longer
	}
}

// errNoTTL is why a queue that somebody else has made takes no requests.
var errNoTTL = errors.New("the stream " + Stream + " takes no TTL for each message, which requests have: whoever made it can allow that, or remove it, and the next worker makes another")

// noTTL is the code of NATS for that.
//
// https://github.com/nats-io/nats-server/blob/main/server/errors.json
const noTTL jetstream.ErrorCode = 10166

// ensureStream makes the queue, where there is none.
func ensureStream(ctx context.Context, js jetstream.JetStream) error {
	s, err := js.Stream(ctx, Stream)
	switch {
	case errors.Is(err, jetstream.ErrStreamNotFound):
		_, err = js.CreateStream(ctx, StreamConfig())
	case err == nil && !s.CachedInfo().Config.AllowMsgTTL:
		return errNoTTL
	}
	return err
}
