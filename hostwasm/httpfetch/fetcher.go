package httpfetch

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"
)

// A Fetcher answers what guests ask: a hostwasm.Fetcher. It is safe for concurrent
// use, and holds nothing while no request is under way.
type Fetcher struct {
	config    Config
	transport *http.Transport
	waiting   *shares // for their headers
	requests  *shares // with one
}

// New returns a Fetcher.
func New(c Config) *Fetcher {
	c = c.withDefaults()
	f := &Fetcher{config: c, waiting: newShares(waitingFor * c.MaxRequests), requests: newShares(c.MaxRequests)}
	f.transport = &http.Transport{
		DialContext:            f.dial,
		TLSClientConfig:        &tls.Config{RootCAs: c.Roots, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    c.Idle,
		DisableKeepAlives:      true, // or commands would share what a server knows a connection by
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxResponseHeader,
		ReadBufferSize:         piece,
		WriteBufferSize:        4 << 10,
	}
	return f
}

func (f *Fetcher) dial(ctx context.Context, _, addr string) (net.Conn, error) {
	host, text, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, invalid(cut(err.Error()))
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil || port == 0 {
		return nil, invalid("a port is a number from 1 to 65535")
	}
	conn, err := f.config.Dial(ctx, host, uint16(port))
	if err != nil {
		return nil, dialError{err}
	}
	return conn, nil
}

// Fetch implements hostwasm.Fetcher.
func (f *Fetcher) Fetch(ctx context.Context, exchange io.ReadWriteCloser) {
	began := time.Now()
	r := Record{}
	err := f.fetch(ctx, exchange, &r)
	if err == nil {
		_ = writeFrame(exchange, frameEnd, "") // an error means that nobody reads
	} else if ctx.Err() != nil {
		r.Error = errGone.Error()
	} else {
		var c code
		c, r.Error = explain(err)
		_ = writeFrame(exchange, frameError, errorFrame(c, r.Error))
	}
	r.Duration = time.Since(began)
	if f.config.Done != nil {
		f.config.Done(ctx, r)
	}
}

// grace is how long a guest has to read why its request has ended.
const grace = 5 * time.Second

// fetch answers one exchange, but for its last frame.
func (f *Fetcher) fetch(ctx context.Context, exchange io.ReadWriteCloser, r *Record) error {
	who := ""
	if f.config.Share != nil {
		who = f.config.Share(ctx)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	end := func(why error) {
		cancel(why)
		time.AfterFunc(grace, func() { exchange.Close() }) // a guest may take nothing
	}
	whole := time.AfterFunc(f.config.Whole, func() { end(errWhole) })
	defer whole.Stop()
	// A guest that sends nothing where it is awaited, or takes nothing, is as idle as a
	// server.
	idle := newWatch(f.config.Idle, func() { end(errIdle) })
	defer idle.stop()

	head, err := f.head(exchange, who)
	if err != nil {
		return because(ctx, err)
	}
	request, err := parseRequest(head)
	if err != nil {
		return err
	}
	if !f.requests.take(who) {
		return errTooMany
	}
	defer f.requests.give(who)
	shown := *request.URL
	shown.RawQuery, shown.Fragment = "", ""
	r.Method, r.URL = request.Method, cut(shown.String())
	body := &counted{r: &sent{r: exchange}, idle: idle, limit: f.config.MaxSent, what: "the request's body"}
	if request.ContentLength != 0 {
		request.Body = io.NopCloser(body)
	}
	response, err := f.transport.RoundTrip(request.WithContext(ctx))
	r.Sent = body.n.Load()
	if err != nil {
		return because(ctx, err)
	}
	defer response.Body.Close()
	r.Status = response.StatusCode
	if err := writeFrame(exchange, frameHead, responseHead(response)); err != nil {
		return err
	}
	received := &counted{r: response.Body, idle: idle, limit: f.config.MaxReceived, what: "the response's body"}
	err = pass(exchange, received, idle)
	r.Sent, r.Received = body.n.Load(), received.n.Load()
	return because(ctx, err)
}

// waitingFor is how many exchanges there may be without a header for each request
// that there may be: they cost less, but some memory and descriptors.
const waitingFor = 4

// head reads a request's header. Who sends none takes no place from those who do.
func (f *Fetcher) head(exchange io.Reader, who string) (string, error) {
	if !f.waiting.take(who) {
		return "", errTooMany
	}
	defer f.waiting.give(who)
	return readHead(exchange)
}

// because returns why ctx has ended, if it has, instead of what came of that.
func because(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return cause
	}
	return err
}

// pass copies what r has to the guest, in frames.
func pass(exchange io.Writer, r io.Reader, idle *watch) error {
	b := make([]byte, piece)
	for {
		n, err := r.Read(b)
		if n > 0 {
			if err := writeFrame(exchange, frameData, string(b[:n])); err != nil {
				return err
			}
			idle.beat() // the guest has taken it
		}
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
	}
}

// A counted is a body that is limited. It is read by one goroutine.
type counted struct {
	r     io.Reader
	idle  *watch
	what  string
	limit int64
	n     atomic.Int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.idle.beat()
	if c.n.Add(int64(n)) > c.limit {
		return 0, tooLarge{c.what, c.limit}
	}
	return n, err
}

// A watch calls a function when it was not beaten for some time.
type watch struct {
	limit time.Duration
	timer *time.Timer
}

func newWatch(limit time.Duration, f func()) *watch {
	return &watch{limit, time.AfterFunc(limit, f)}
}

// beat begins the time anew; once it was over that does nothing.
func (w *watch) beat() {
	if w.timer.Stop() {
		w.timer.Reset(w.limit)
	}
}

func (w *watch) stop() { w.timer.Stop() }
