package fleet

import (
	"sync"

	"github.com/nats-io/jwt/v2"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/private"
)

// A credentials is a file of credentials, as it is when a connection is made: it may be renewed.
// Where it can't be read any more, what was read before is sent on. "fleet tenant remove" takes the
// file away, and without this no server would be asked, which says that it takes them no longer.
type credentials struct {
	file string

	mu   sync.Mutex // guards the field below
	last []byte
}

func (c *credentials) read() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	if b, err := private.ReadGiven(c.file, maxCreds); err == nil {
		c.last = b
	}
	return c.last
}

// token is a nats.UserJWTHandler.
func (c *credentials) token() (string, error) { return jwt.ParseDecoratedJWT(c.read()) }

// sign is a nats.SignatureHandler.
func (c *credentials) sign(nonce []byte) ([]byte, error) {
	key, err := jwt.ParseDecoratedUserNKey(c.read())
	if err != nil {
		return nil, err
	}
	defer key.Wipe()
	return key.Sign(nonce)
}
