package fleet

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"
)

// A control rules a server that runs. A nil control rules none.
type control struct {
	how  []nats.Option
	at   string // its URL; "" with an option that needs none
	nats *nats.Conn
}

// controlTime is how long a server may take to answer.
const controlTime = 30 * time.Second

// A serverState says where a server is that is served from a directory.
type serverState struct {
	URL         string `json:"url"`
	Certificate string `json:"certificate,omitempty"` // SHA-256 of the server's own
}

// findServer reads where the server is. The error is errLocked if it does not say so yet.
func findServer(dir string) (*control, error) {
	b, err := readPrivate(filepath.Join(dir, serverFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", dir, errLocked)
	}
	var s serverState
	if err == nil {
		err = json.Unmarshal(b, &s)
	}
	if err != nil {
		return nil, err
	}
	c := &control{at: s.URL}
	if s.Certificate != "" {
		want, err := hex.DecodeString(s.Certificate)
		if err != nil {
			return nil, err
		}
		c.how = append(c.how, nats.Secure(pinned(want)))
	}
	return c, nil
}

// pinned takes the one certificate and no other. It is for a server of this machine, which may have
// a certificate for its name elsewhere.
func pinned(want []byte) *tls.Config {
	return &tls.Config{
		MinVersion:         tls.VersionTLS12,
		InsecureSkipVerify: true, // VerifyConnection does it
		VerifyConnection: func(state tls.ConnectionState) error {
			if got := sha256.Sum256(state.PeerCertificates[0].Raw); subtle.ConstantTimeCompare(got[:], want) != 1 {
				return errors.New("another server answers there")
			}
			return nil
		},
	}
}

// dial connects with all that an account may do.
func (c *control) dial(account nkeys.KeyPair) (*nats.Conn, error) {
	token, seed, err := passing(account, "terrarium fleet")
	if err != nil {
		return nil, err
	}
	options := append([]nats.Option{
		nats.UserJWTAndSeed(token, seed), nats.NoReconnect(), nats.Timeout(controlTime),
	}, c.how...)
	return nats.Connect(c.at, options...)
}

// connect makes the connection that update and remove need. system is the key of the account that
// rules the server.
func (c *control) connect(system nkeys.KeyPair) (err error) {
	c.nats, err = c.dial(system)
	return err
}

func (c *control) close() {
	if c != nil && c.nats != nil {
		c.nats.Close()
	}
}

// update hands the server a signed account.
func (c *control) update(ctx context.Context, token string) error {
	return c.ask(ctx, "$SYS.REQ.CLAIMS.UPDATE", token)
}

// remove has the server end all connections of an account, and forget it.
func (c *control) remove(ctx context.Context, k *keyring, account string) error {
	claims := jwt.NewGenericClaims(k.operatorKey)
	claims.Data["accounts"] = []string{account}
	token, err := claims.Encode(k.operator)
	if err != nil {
		return err
	}
	return c.ask(ctx, "$SYS.REQ.CLAIMS.DELETE", token)
}

// ask waits until the server has done it.
func (c *control) ask(ctx context.Context, subject, token string) error {
	ctx, cancel := context.WithTimeout(ctx, controlTime)
	defer cancel()
	m, err := c.nats.RequestWithContext(ctx, subject, []byte(token))
	if err != nil {
		return fmt.Errorf("the fleet's server: %w", err)
	}
	var answer struct {
		Error *struct {
			Description string `json:"description"`
		} `json:"error"`
	}
	if err := json.Unmarshal(m.Data, &answer); err != nil {
		return fmt.Errorf("the fleet's server: %w", err)
	}
	if answer.Error != nil {
		return fmt.Errorf("the fleet's server: %s", answer.Error.Description)
	}
	return nil
}

// prepare makes what a tenant needs on the server, where it is not there yet or was made otherwise.
func (c *control) prepare(ctx context.Context, account nkeys.KeyPair) error {
	conn, err := c.dial(account)
	if err != nil {
		return err
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, controlTime)
	defer cancel()
	if _, err = js.CreateOrUpdateStream(ctx, StreamConfig()); err != nil {
		return err
	}
	// Workers may not make this one: see workerPermissions.
	_, err = js.CreateOrUpdateConsumer(ctx, Stream, poolConfig(DefaultPool, 0))
	return err
}
