package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	claimTime      = 10 * time.Second // a worker has to answer for what it took
	deliverLimit   = 5                // claims of one request that come to nothing
	unusedConsumer = time.Hour        // is kept for a pool that no worker pulls from
)

// MaxPlaceTimeout is for how long somebody may wait for a place.
const MaxPlaceTimeout = maxRequestAge

// A request is what waits in a pool. Who asks is in the subject.
type request struct {
	Version int    `json:"v"` // 1
	Session string `json:"session"`
}

func parseRequest(b []byte) (session string, err error) {
	var r request
	if err := json.Unmarshal(b, &r); err != nil {
		return "", err
	}
	if r.Version != 1 || !isSession(r.Session) {
		return "", errMessage
	}
	return r.Session, nil
}

// queue returns where requests wait. A server of somebody else's has none before the first worker
// comes.
func (c *Client) queue(ctx context.Context) (jetstream.JetStream, error) {
	js, err := jetstream.New(c.nats)
	if err != nil {
		return nil, err
	}
	err = ensureStream(ctx, js)
	if errors.Is(err, jetstream.ErrJetStreamNotEnabled) || errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount) || errors.Is(err, nats.ErrNoResponders) {
		err = errors.New("the server has no JetStream, which a fleet needs: start it with -js, or use terrarium fleet serve")
	}
	return js, err
}

// poolConfig is how a pool is made that is forgotten when no worker has pulled from it for so long;
// 0: never.
func poolConfig(pool string, unused time.Duration) jetstream.ConsumerConfig {
	return jetstream.ConsumerConfig{
		Durable: pool, FilterSubject: PoolRequests(pool), AckPolicy: jetstream.AckExplicitPolicy,
		AckWait: claimTime, MaxAckPending: -1, MaxWaiting: maxWaiting, InactiveThreshold: unused,
	}
}

// consumer returns where workers take the requests of a pool from. It makes the pool, where there
// is none.
func consumer(ctx context.Context, js jetstream.JetStream, pool string) (jetstream.Consumer, error) {
	c, err := js.Consumer(ctx, Stream, pool)
	if errors.Is(err, jetstream.ErrConsumerNotFound) {
		c, err = js.CreateOrUpdateConsumer(ctx, Stream, poolConfig(pool, unusedConsumer))
	}
	return c, err
}

// waiting returns how many requests wait, of all users of the tenant.
func waiting(ctx context.Context, js jetstream.JetStream) (int, error) {
	s, err := js.Stream(ctx, Stream)
	if err != nil {
		return 0, err
	}
	return int(s.CachedInfo().State.Msgs), nil
}
