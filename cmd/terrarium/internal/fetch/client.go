package fetch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/index"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/plugin"
)

// What a server may take.
const (
	maxRedirects = 5
	maxHeader    = 64 << 10         // bytes
	stall        = time.Minute      // without a byte
	whole        = 30 * time.Minute // for all of it
)

// userAgent is what servers are told of who asks.
const userAgent = "terrarium"

// errStalled ends a download that brings nothing.
var errStalled = errors.New("the server sends nothing any longer")

// ErrNotFound is that a server has nothing where it was asked.
var ErrNotFound = errors.New("the server says 404 Not Found")

// errElsewhere is why we don't go where a server sends us.
var errElsewhere = errors.New("a server elsewhere sends us to this machine")

// client asks servers, by way of the proxy that the environment names. It takes
// nothing over http but from this machine, wherever a server sends it.
var client = &http.Client{
	Transport: &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		ResponseHeaderTimeout:  stall,
		TLSHandshakeTimeout:    stall,
		MaxResponseHeaderBytes: maxHeader,
		DisableCompression:     true, // or an archive could arrive unpacked
		ForceAttemptHTTP2:      true,
	},
	CheckRedirect: checkRedirect,
}

// checkRedirect says why we don't go where a server sends us. A server elsewhere must
// not have us ask those of this machine, which may take that for its user's wish.
func checkRedirect(r *http.Request, via []*http.Request) error {
	switch {
	case len(via) > maxRedirects:
		return fmt.Errorf("more than %d redirects", maxRedirects)
	case index.IsHere(r.URL) && !index.IsHere(via[0].URL):
		return errElsewhere
	}
	return index.CheckURL(r.URL)
}

// Text returns what is at u, at most limit bytes, such as an index.
func Text(ctx context.Context, u *url.URL, limit int64) ([]byte, error) {
	b, _, err := Accept(ctx, u, "", limit)
	return b, err
}

// Accept returns what is at u in a media type, unless that is empty, at most limit
// bytes, and where it came from after redirects.
func Accept(ctx context.Context, u *url.URL, mediaType string, limit int64) (text []byte, at *url.URL, err error) {
	header := make(http.Header)
	if mediaType != "" {
		header.Set("Accept", mediaType)
	}
	body, err := open(ctx, u, header)
	if err != nil {
		return nil, nil, err
	}
	defer body.Close()
	b, err := io.ReadAll(io.LimitReader(body, limit+1))
	if err == nil && int64(len(b)) > limit {
		err = fmt.Errorf("more than %d bytes", limit)
	}
	if err != nil {
		return nil, nil, named(u, err)
	}
	return b, body.at, nil
}

// Sum writes what is at u to w, at most limit bytes. Only where it has the sum, in
// hexadecimal, is the error nil. It returns how many bytes have come, of which
// progress, if not nil, is told.
func Sum(ctx context.Context, u *url.URL, sum string, limit int64, w io.Writer, progress func(n int64)) (n int64, err error) {
	body, err := open(ctx, u, make(http.Header))
	if err != nil {
		return 0, err
	}
	defer body.Close()
	hash := sha256.New()
	n, err = copyAll(io.MultiWriter(w, hash), io.LimitReader(body, limit+1), progress)
	got := hex.EncodeToString(hash.Sum(nil))
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = fmt.Errorf("cut off: %d bytes have come", n)
	case err == nil && n > limit:
		err = fmt.Errorf("more than %d bytes", limit)
	case err == nil && got != sum:
		err = fmt.Errorf("its sha256 is %s, want %s", got, sum)
	}
	if err != nil {
		return n, named(u, err)
	}
	return n, nil
}

// open returns what is at u. header is for its host only, where that is a secret.
func open(ctx context.Context, u *url.URL, header http.Header) (*body, error) {
	if err := index.CheckURL(u); err != nil {
		return nil, named(u, err)
	}
	b := newBody(ctx)
	request, err := http.NewRequestWithContext(b.ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		b.Close()
		return nil, named(u, errors.New("not a URL"))
	}
	header.Set("User-Agent", userAgent)
	request.Header = header // of which net/http keeps Authorization from other hosts
	response, err := client.Do(request)
	if err != nil {
		err = b.cause(err)
		b.Close()
		return nil, named(u, err)
	}
	b.body, b.at = response.Body, response.Request.URL
	switch response.StatusCode {
	case http.StatusOK:
		return b, nil
	case http.StatusNotFound:
		err = ErrNotFound
	default:
		err = fmt.Errorf("the server says %s", plugin.Printable(response.Status))
	}
	b.Close()
	return nil, named(u, err)
}

// A body is what a server sends, as long as it sends something.
type body struct {
	body   io.ReadCloser // nil before there is an answer
	at     *url.URL      // where it came from, after redirects
	ctx    context.Context
	cancel context.CancelFunc
	timer  *time.Timer
}

// newBody returns one for requests that are made with its ctx. Whoever called it closes it.
func newBody(ctx context.Context) *body {
	ctx, cancel := context.WithTimeout(ctx, whole)
	ctx, stop := context.WithCancelCause(ctx)
	return &body{cancel: cancel, timer: time.AfterFunc(stall, func() { stop(errStalled) }), ctx: ctx}
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.body.Read(p)
	if n > 0 {
		b.timer.Reset(stall)
	}
	if err != nil && err != io.EOF {
		err = b.cause(err)
	}
	return n, err
}

// Close implements io.Closer.
func (b *body) Close() error {
	b.timer.Stop()
	b.cancel()
	if b.body == nil {
		return nil
	}
	return b.body.Close()
}

// cause returns why the context ended, if err is that it did.
func (b *body) cause(err error) error {
	if cause := context.Cause(b.ctx); cause != nil {
		return cause
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err // it repeats the URL
	}
	return err
}

// named returns err with where it happened, in one line, and without what a
// query may hold of secrets.
func named(u *url.URL, err error) error {
	shown := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	return fmt.Errorf("%s: %w", plugin.Printable(shown.String()), err)
}
