package main

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/coder/websocket"

	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/driver/acpconn"
)

// listenPath is where peers connect, as ACP's transport RFD has it.
const listenPath = "/acp"

// Subprotocols: a browser's WebSocket can't set headers, so a page offers both
// names, and the second is its token.
const (
	subprotocol = "acp"
	tokenPrefix = "bearer."
)

// listenFlags are the flags of serve --listen.
type listenFlags struct {
	addr        string
	tokenFile   string
	allowRemote bool
	origins     []string
}

// A wsServer serves each peer that connects as serve --stdio serves its one.
type wsServer struct {
	config  acpconn.Config
	token   string
	origins []string
	isOurs  func(host string) bool // whether a request may be meant for us

	long *driver.Budget // for messages that are long

	ctx  context.Context // ends every connection
	gate *gate
}

// listen serves peers until ctx ends, and then until all they held has ended.
func (f *listenFlags) listen(ctx context.Context, c acpconn.Config) error {
	token, told, err := f.token()
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", f.addr)
	if err != nil {
		return err
	}
	if addr := listener.Addr().(*net.TCPAddr); !addr.IP.IsLoopback() && !f.allowRemote {
		listener.Close()
		return fmt.Errorf("listen on %s: whoever reaches it may try to run commands: --allow-remote allows that", f.addr)
	}
	fmt.Fprintf(os.Stderr, "terrarium: listening on ws://%s%s\n", listener.Addr(), listenPath)
	if told {
		fmt.Fprintf(os.Stderr, "terrarium: token %s\n", token)
	}
	fmt.Fprint(os.Stderr, howToSend)
	c.Driver.Core.Budget = &driver.Budget{Terminals: allTerminals, Bytes: allBytes}
	c.Driver.Core.KeptBudget = &driver.Budget{Terminals: allTerminals, Bytes: allKeptBytes}
	return (&wsServer{
		config: c, token: token, origins: f.origins, isOurs: f.isOurs,
		long: &driver.Budget{Bytes: allLongBytes}, ctx: ctx, gate: newGate(listener),
	}).run()
}

// howToSend tells those who write a client.
const howToSend = `terrarium: send the token in a header, "Authorization: Bearer TOKEN"; a page:
terrarium: new WebSocket(url, ["acp", "bearer.TOKEN"])
`

// What all peers may have together: as much as core.Config lets one of them.
const (
	allTerminals = 4096
	allBytes     = 1 << 30
	allKeptBytes = 256 << 20
	allLongBytes = 256 << 20 // of long messages that have not come as a whole
)

// headerTime is how long a request may take to come, and its refusal to leave.
const headerTime = 10 * time.Second

// run serves until s.ctx ends, or the listener fails.
func (s *wsServer) run() (err error) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+listenPath, s.serve)
	server := &http.Server{
		Handler: mux, ConnContext: withVisitor, MaxHeaderBytes: 64 << 10,
		ReadHeaderTimeout: headerTime, ReadTimeout: headerTime, WriteTimeout: headerTime, IdleTimeout: headerTime,
	}
	// A connection is for one request: who is refused asks again on another,
	// and holds no place in between.
	server.SetKeepAlivesEnabled(false)
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(s.gate) }() // ends with Close
	select {
	case err = <-ended:
	case <-s.ctx.Done():
	}
	server.Close()
	s.gate.wait()
	return err
}

// isOurs reports whether a request for host can be meant for us. A page of
// evil.example can have that name lead to 127.0.0.1 and then be of our own origin
// in the eyes of a browser ("DNS rebinding"). The Host header still has the name.
func (f *listenFlags) isOurs(host string) bool {
	name := hostname(host)
	ip := net.ParseIP(name)
	return f.allowRemote || name == "localhost" || strings.HasSuffix(name, ".localhost") ||
		ip != nil && ip.IsLoopback() || name != "" && name == hostname(f.addr)
}

// hostname returns the name or address in HOST:PORT, HOST or [HOST].
func hostname(host string) string {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	}
	return strings.ToLower(name)
}

// token returns the secret that peers must know. told says that it is new, and
// a person must be told.
func (f *listenFlags) token() (token string, told bool, err error) {
	if f.tokenFile == "" {
		return rand.Text(), true, nil
	}
	b, err := readSecret(f.tokenFile)
	if err != nil {
		return "", false, err
	}
	token = strings.TrimSpace(string(b))
	if len(token) < 16 {
		return "", false, fmt.Errorf("%s: a token of less than 16 characters could be guessed", f.tokenFile)
	}
	return token, false, nil
}

// serve serves one peer.
func (s *wsServer) serve(w http.ResponseWriter, r *http.Request) {
	switch {
	case !s.isOurs(r.Host):
		http.Error(w, "terrarium: Host: want localhost or an address of this machine's own", http.StatusForbidden)
		return
	case !s.knowsToken(r):
		w.Header().Set("WWW-Authenticate", "Bearer")
		http.Error(w, "terrarium: the bearer token is missing or wrong", http.StatusUnauthorized)
		return
	}
	v := r.Context().Value(visitorKey{}).(*visitor)
	if !v.admit() {
		http.Error(w, "terrarium: too many peers", http.StatusServiceUnavailable)
		return
	}
	defer v.leave()
	// Accept refuses pages of another origin than ours and those allowed. A page
	// that has offered nothing but the token needs to see that chosen.
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{
		Subprotocols: []string{subprotocol, tokenPrefix + s.token}, OriginPatterns: s.origins,
	})
	if err != nil {
		return // Accept has answered
	}
	defer conn.CloseNow()
	v.served.Store(true)
	conn.SetReadLimit(maxMessage)
	stream := &wsStream{ctx: s.ctx, conn: conn, long: s.long}
	defer stream.forget()
	pinging, stop := context.WithCancel(s.ctx)
	defer stop()
	go stream.ping(pinging) // ends with stop
	err = acpconn.Serve(s.ctx, stream, stream, s.config)
	// Close reads the rest of a message that has begun, and that may never come.
	late := time.AfterFunc(closeTime, func() { v.Close() })
	defer late.Stop()
	switch {
	case err == nil:
		conn.Close(websocket.StatusNormalClosure, "")
	case errors.Is(err, errLong):
		conn.Close(websocket.StatusTryAgainLater, errLong.Error())
	default:
		conn.Close(websocket.StatusGoingAway, "")
	}
}

// closeTime is how long a peer may take to say goodbye.
const closeTime = 5 * time.Second

// knowsToken looks for the token in a header or among the subprotocols. It is
// never taken from the URL, which ends up in logs.
func (s *wsServer) knowsToken(r *http.Request) bool {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	for _, offered := range r.Header.Values("Sec-WebSocket-Protocol") {
		for name := range strings.SplitSeq(offered, ",") {
			if t, found := strings.CutPrefix(strings.TrimSpace(name), tokenPrefix); found && !ok {
				token, ok = t, true
			}
		}
	}
	return ok && subtle.ConstantTimeCompare([]byte(token), []byte(s.token)) == 1
}
