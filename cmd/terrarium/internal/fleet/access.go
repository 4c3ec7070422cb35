package fleet

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/terrarium-dev/terrarium/core/driver/remote"
)

// An Access is how a NATS server is reached. Only URL is needed.
type Access struct {
	URL   string // nats://HOST:PORT or tls://HOST:PORT, or several with commas between
	Creds string // a file of credentials, as "fleet tenant" and nsc write them; "": none
	CA    string // a file of certificates that the server's is to be of; "": the system's
	Role  Role   // what the credentials are wanted for; those of another role are refused
	// OnLink, if set, is told why the connection has broken, and with nil that it is there again.
	// It must not wait.
	OnLink func(lost error)
}

const (
	connectLimit = 10 * time.Second // for one server
	// retryPause is how long after a failed attempt a connection that broke is tried again. Who was
	// cut off by a server that starts again is back before anybody takes them for dead.
	retryPause = 200 * time.Millisecond
	pingPause  = 10 * time.Second // whoever does not answer three of them is gone
	// settleTime is how long after us others may need to make their connections anew: they notice
	// that a server is silent by its pings, and then connect. Who was heard since is back.
	settleTime = 3*pingPause + connectLimit
	maxCreds   = 64 << 10 // bytes
	maxCA      = 4 << 20  // bytes; a system's are a quarter of a MiB
)

// A Client is a connection to the server, which is made again whenever it breaks. It is safe for
// concurrent use.
type Client struct {
	nats   *nats.Conn
	user   string // the public nkey of the credentials, or Anybody
	tenant string // whose the credentials are, if they say so
	access Access
	closed chan struct{} // closed when the connection will not be made again
	backIn time.Duration // settleTime, but in tests

	refusals listeners // hear what is not permitted

	mu sync.Mutex // guards the field below
	// broke is when the connection has broken, or was made anew after that. Zero: it never broke.
	broke time.Time
}

// User returns whose the credentials are: a public nkey, or Anybody.
func (c *Client) User() string { return c.user }

// Check says what is wrong with the URL. The error is in words.
func (a *Access) Check() error {
	_, err := a.Loopback()
	return err
}

// Loopback reports whether all servers are on this machine. The error is Check's.
func (a *Access) Loopback() (all bool, err error) {
	all = true
	for one := range strings.SplitSeq(a.URL, ",") {
		u, err := url.Parse(one)
		switch {
		case err != nil, u.Host == "", u.Scheme != "nats" && u.Scheme != "tls":
			return false, errors.New("want nats://HOST:PORT or tls://HOST:PORT")
		case u.User != nil:
			return false, errors.New("others can read a password that is in a command line: use --creds FILE")
		case u.Path != "" && u.Path != "/", u.RawQuery != "", u.Fragment != "":
			return false, errors.New("want nothing behind the port")
		}
		all = all && isLoopback(u.Hostname())
	}
	return all, nil
}

// Connect connects to the server, and gives up when ctx ends. name is what its operator sees. The
// error is in one line, and says what to do.
func (a *Access) Connect(ctx context.Context, name string) (*Client, error) {
	local, err := a.Loopback()
	if err != nil { // the URL may have a password in it
		return nil, fmt.Errorf("the URL of a fleet: %w", err)
	}
	c := &Client{user: Anybody, access: *a, closed: make(chan struct{}), backIn: settleTime}
	options := []nats.Option{
		nats.Name(name), nats.Timeout(connectLimit), nats.PingInterval(pingPause),
		nats.MaxReconnects(-1), nats.ReconnectWait(retryPause), nats.ReconnectJitter(retryPause, retryPause),
		nats.ReconnectBufSize(-1), // what can't be sent now is sent again over the next link
		nats.SyncQueueLen(256),
		nats.ErrorHandler(c.tell),
		nats.DisconnectErrHandler(func(conn *nats.Conn, err error) {
			c.noteBreak() // here, too: OnLink may wait, and what is called after it with it
			if a.OnLink != nil && !conn.IsClosed() {
				a.OnLink(whyLost(err))
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) {
			c.noteBreak()
			if a.OnLink != nil {
				a.OnLink(nil)
			}
		}),
		nats.ClosedHandler(func(*nats.Conn) { close(c.closed) }),
	}
	if a.Creds != "" {
		who, err := identityOf(a.Creds)
		if err == nil {
			err = who.check(a.Creds, a.Role)
		}
		if err != nil {
			return nil, fmt.Errorf("credentials: %w", err)
		}
		c.user, c.tenant = who.key, who.tenant
		creds := &credentials{file: a.Creds}
		options = append(options, nats.UserJWT(creds.token, creds.sign))
	}
	options = append(options, nats.CustomInboxPrefix(InboxPrefix(c.user)))
	if !local {
		config, err := a.tls()
		if err != nil {
			return nil, err
		}
		options = append(options, nats.Secure(config))
	}
	if c.nats, err = connect(ctx, a.URL, options); err != nil {
		return nil, a.explain(err)
	}
	return c, nil
}

// askedEarly is the error of a server that asks whether we are there before it has answered our own
// question, as one does that is busy for seconds.
const askedEarly = "expected 'PONG', got 'PING'"

// connectAttempts is how often such a server is tried.
const connectAttempts = 3

// connect is nats.Connect, but ends with ctx.
func connect(ctx context.Context, url string, options []nats.Option) (*nats.Conn, error) {
	type result struct {
		conn *nats.Conn
		err  error
	}
	connected := make(chan result, 1)
	go func() { // ends within the time of connecting
		var r result
		for range connectAttempts {
			r.conn, r.err = nats.Connect(url, options...)
			if r.err == nil || ctx.Err() != nil || !strings.Contains(r.err.Error(), askedEarly) {
				break
			}
		}
		connected <- r
	}()
	select {
	case r := <-connected:
		return r.conn, r.err
	case <-ctx.Done():
		go func() { // likewise
			if r := <-connected; r.err == nil {
				r.conn.Close()
			}
		}()
		return nil, context.Cause(ctx)
	}
}

// tls returns how the server proves who it is.
func (a *Access) tls() (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if a.CA == "" {
		return config, nil
	}
	certificates, err := readCA(a.CA)
	if err != nil {
		return nil, err
	}
	config.RootCAs = x509.NewCertPool()
	if !config.RootCAs.AppendCertsFromPEM(certificates) {
		return nil, fmt.Errorf("%s: no certificate in it", a.CA)
	}
	return config, nil
}

// readCA reads a file of certificates, which need not be secret. It waits for no pipe.
func readCA(name string) ([]byte, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxCA+1))
	if err == nil && len(b) > maxCA {
		err = fmt.Errorf("%s: longer than %d bytes", name, maxCA)
	}
	return b, err
}

// explain says why there is no connection, and what to do.
func (a *Access) explain(err error) error {
	var unknown x509.UnknownAuthorityError
	switch {
	case errors.Is(err, nats.ErrAuthorization) && a.Creds == "":
		return fmt.Errorf("%s: the server wants credentials: use --creds FILE, or set NATS_CREDS", a.URL)
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired), errors.Is(err, nats.ErrAuthRevoked):
		return fmt.Errorf("%s: the server refuses the credentials in %s: whoever runs the fleet can make new ones", a.URL, a.Creds)
	case errors.As(err, &unknown):
		return fmt.Errorf("%s: the server's certificate is of nobody this machine trusts: use --tls-ca FILE (%w)", a.URL, err)
	case errors.Is(err, nats.ErrSecureConnWanted):
		return fmt.Errorf("%s: the server does not encrypt, which a fleet needs beyond this machine", a.URL)
	case errors.Is(err, nats.ErrNoServers), errors.Is(err, nats.ErrTimeout), errors.As(err, new(net.Error)):
		return fmt.Errorf("%s: no NATS server answers: is it running there? (%w)", a.URL, err)
	}
	return fmt.Errorf("%s: %w", a.URL, err)
}

// whyLost says why a connection has broken.
func whyLost(err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return errNoServer
	}
	return err
}

// Close ends the connection.
func (c *Client) Close() { c.nats.Close() }

// noteBreak is called when the connection has broken, and when it is there again.
func (c *Client) noteBreak() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.broke = time.Now()
}

// settled reports whether somebody who was last heard then, and whom the server does not know now,
// is gone: they are back since our connection was made anew, or have had the time for it.
func (c *Client) settled(heard time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.broke.IsZero() || heard.After(c.broke) || time.Since(c.broke) >= c.backIn
}

// lastError is why there is no connection.
func (c *Client) lastError() error {
	if err := c.nats.LastError(); err != nil {
		return c.access.explain(err)
	}
	return fmt.Errorf("%s: %w", c.access.URL, nats.ErrConnectionClosed)
}

// What may wait for a subscription of a session to be handled. A link's window is less than that.
const (
	maxPendingMessages = 2 * window / 64
	maxPendingBytes    = 4 * window
)

// subscribe has handle called with each message, one at a time.
func (c *Client) subscribe(subject string, handle nats.MsgHandler) (*nats.Subscription, error) {
	s, err := c.nats.Subscribe(subject, handle)
	if err != nil {
		return nil, err
	}
	return s, s.SetPendingLimits(maxPendingMessages, maxPendingBytes)
}

// publisher returns what sends a link's messages. Where nobody hears one that asks, the server says
// so on the subject of the other direction.
func (c *Client) publisher(to, back string) func(b []byte, asks bool) error {
	return func(b []byte, asks bool) (err error) {
		if asks {
			err = c.nats.PublishRequest(to, back, b)
		} else {
			err = c.nats.Publish(to, b)
		}
		if errors.Is(err, nats.ErrReconnectBufExceeded) { // nothing is buffered meanwhile
			err = errNoServer
		}
		return err
	}
}

var errNoServer = errors.New("the connection to the server has broken")

// isNobody reports whether the server says that nobody has heard a message.
func isNobody(m *nats.Msg) bool {
	return len(m.Data) == 0 && m.Header.Get("Status") == "503"
}

// connected waits until there is a connection.
func (c *Client) connected(ctx context.Context) error {
	if c.nats.Status() == nats.CONNECTED {
		return nil
	}
	changed := c.nats.StatusChanged(nats.CONNECTED, nats.CLOSED)
	defer c.nats.RemoveStatusListener(changed)
	for {
		switch c.nats.Status() {
		case nats.CONNECTED:
			return nil
		case nats.CLOSED:
			return closedError{c.lastError()}
		}
		select {
		case <-changed:
		case <-c.closed:
		case <-ctx.Done():
			return fmt.Errorf("%s: there is no connection to the server: %w", c.access.URL, ctx.Err())
		}
	}
}

// A closedError is why there will be no connection any more: the session is gone, too.
type closedError struct{ error }

func (e closedError) Unwrap() error { return e.error }

func (closedError) Is(target error) bool { return target == remote.ErrGone }
