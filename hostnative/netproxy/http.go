package netproxy

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"time"
)

const (
	maxHeader         = 64 << 10 // of a request, in bytes
	maxResponseHeader = 1 << 20
	keepAlive         = 2 * time.Minute // between two requests of a client
)

// newServer returns what reads requests. It closes a connection that is silent for too long, too
// slow or sends too much before its request is complete.
func (s *Session) newServer() *http.Server {
	forward := &httputil.ReverseProxy{
		Rewrite:        rewrite,
		Transport:      roundTripper(s.roundTrip),
		ModifyResponse: cleanResponse,
		FlushInterval:  -1, // at once
		ErrorHandler:   func(w http.ResponseWriter, _ *http.Request, err error) { explain(err).write(w) },
		ErrorLog:       log.New(io.Discard, "", 0),
	}
	return &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			s.serveHTTP(w, r, forward)
		}),
		BaseContext:       func(net.Listener) context.Context { return s.ctx },
		ReadHeaderTimeout: s.proxy.config.HandshakeTimeout,
		IdleTimeout:       keepAlive,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          log.New(io.Discard, "", 0),
		// OPTIONS * would be answered to those without a password.
		DisableGeneralOptionsHandler: true,
	}
}

func (s *Session) serveHTTP(w http.ResponseWriter, r *http.Request, forward http.Handler) {
	if !s.begin() {
		panic(http.ErrAbortHandler) // no answer: returning would be one
	}
	defer s.wg.Done()
	_, port := hostPort(r.URL)
	switch {
	case !s.allows(r):
		answer{
			status: http.StatusProxyAuthRequired,
			text:   "this proxy is for commands that have its password in their environment, as in HTTP_PROXY",
		}.write(w)
	case r.Method == http.MethodConnect:
		s.serveConnect(w, r)
	case r.URL.Scheme != "http" || r.URL.Host == "":
		badRequest(w, `this is a proxy: ask for a URL that begins with "http://", or for a tunnel with CONNECT`)
	case port == 0:
		badRequest(w, "a port is a number from 1 to 65535")
	default:
		forward.ServeHTTP(w, r)
	}
}

func badRequest(w http.ResponseWriter, why string) {
	answer{status: http.StatusBadRequest, text: why}.write(w)
}

// begin makes Close wait for a request, until wg.Done. It is false if the session is closed.
func (s *Session) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.wg.Add(1)
	}
	return !s.closed
}

// allows reports whether a request has the session's password (RFC 9110, 11.7.2; RFC 7617).
func (s *Session) allows(r *http.Request) bool {
	// BasicAuth reads what servers are sent, and a proxy is sent the same in another field.
	sent := http.Request{Header: http.Header{"Authorization": r.Header["Proxy-Authorization"]}}
	name, password, ok := sent.BasicAuth()
	return ok && s.knows(name, password)
}

// hostPort returns where a URL leads. Port is 0 if it has one that is none.
func hostPort(u *url.URL) (host string, port uint16) {
	if u.Port() == "" {
		return u.Hostname(), 80
	}
	port, _ = parsePort(u.Port())
	return u.Hostname(), port
}

// serveConnect makes a tunnel (RFC 9110, 9.3.6).
func (s *Session) serveConnect(w http.ResponseWriter, r *http.Request) {
	host, port, ok := splitAuthority(r.RequestURI)
	switch {
	case !ok:
		badRequest(w, "CONNECT needs HOST:PORT, with a port from 1 to 65535")
		return
	// It has no meaning, and whether what follows is part of it would be anyone's guess.
	case r.ContentLength != 0 || len(r.TransferEncoding) > 0:
		badRequest(w, "a request for CONNECT has no content")
		return
	}
	up, err := s.connect(r.Context(), host, port)
	if err == nil {
		defer up.Close()
	}
	down, buffered, hijackErr := http.NewResponseController(w).Hijack()
	if hijackErr != nil {
		return // the session is closed
	}
	defer down.Close()
	if err != nil {
		if writeAnswer(down, explain(err)) == nil {
			linger(down)
		}
		return
	}
	early, _ := buffered.Reader.Peek(buffered.Reader.Buffered())
	if _, err := io.WriteString(down, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	s.tunnel(down, early, up)
}

// rewrite makes what a server gets of a client's request. The fields that are for the next hop only
// are gone already (RFC 9110, 7.6.1), and Proxy-Authorization with them. The user that a URL may
// have is not sent: of a URL a server gets the path and the query.
func rewrite(r *httputil.ProxyRequest) {
	r.Out.URL.RawQuery = r.In.URL.RawQuery // not only what url.ParseQuery understands
	// It is what the list has decided on, whatever Host says (RFC 9112, 3.2.2).
	r.Out.Host = r.In.URL.Host
	r.Out.Header.Del("Expect") // our server has asked the client to go on
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"} {
		if values := r.In.Header[name]; values != nil { // removed for servers that would trust us
			r.Out.Header[name] = values
		}
	}
	r.Out.Header.Add("Via", via(r.In.ProtoMajor, r.In.ProtoMinor))
}

// via says that a message has come through here (RFC 9110, 7.6.3).
func via(major, minor int) string { return fmt.Sprintf("%d.%d %s", major, minor, user) }

func cleanResponse(r *http.Response) error {
	r.Header.Del(refusedHeader)
	r.Header.Add("Via", via(r.ProtoMajor, r.ProtoMinor))
	return nil
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// roundTrip sends a request on a connection of its own. A pool would save a client of many small
// requests some time, and each of its connections would be one that was decided on for another.
func (s *Session) roundTrip(r *http.Request) (*http.Response, error) {
	host, port := hostPort(r.URL)
	conn, err := s.connect(r.Context(), host, port)
	if err != nil {
		return nil, err
	}
	quiet := &pulseConn{conn, newPulse(s.proxy.config.IdleTimeout)}
	transport := &http.Transport{
		DialContext:            func(context.Context, string, string) (net.Conn, error) { return quiet, nil },
		DisableKeepAlives:      true,
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxResponseHeader,
	}
	response, err := transport.RoundTrip(r)
	if err != nil {
		_ = conn.Close() // it may never have been asked for
	}
	return response, err
}
