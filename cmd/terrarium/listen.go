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
	"github.com/spf13/pflag"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/private"
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

// maxTokenFile is how long a file with a token may be, in bytes.
const maxTokenFile = 64 << 10

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

	links *links         // tell each peer
	long  *driver.Budget // for messages that are long

	ctx  context.Context // ends every connection
	gate *gate
}

// addListen declares the flags.
func (f *listenFlags) addListen(set *pflag.FlagSet) {
	set.Var((*address)(&f.addr), "listen", "")
	set.StringVar(&f.tokenFile, "token-file", "", "")
	set.Var((*repeated)(&f.origins), "allow-origin", "")
	set.BoolVar(&f.allowRemote, "allow-remote", false, "")
}

// checkListen says what is wrong with the flags of a command that serves on its standard streams if
// stdio.
func (f *listenFlags) checkListen(command string, stdio bool) error {
	switch {
	case stdio == (f.addr != ""):
		return fmt.Errorf("%s needs --stdio or --listen, one of them", command)
	case stdio && (f.tokenFile != "" || f.allowRemote || f.origins != nil):
		return errors.New("--token-file, --allow-remote and --allow-origin need --listen")
	}
	return nil
}

// bind listens, and tells where: at scheme://ADDR and path. It returns what peers must know, and
// tells that if it is new.
func (f *listenFlags) bind(scheme, path string) (listener net.Listener, token string, err error) {
	token, told, err := f.token()
	if err != nil {
		return nil, "", err
	}
	listener, err = net.Listen("tcp", f.addr)
	if err != nil {
		return nil, "", err
	}
	if addr := listener.Addr().(*net.TCPAddr); !addr.IP.IsLoopback() && !f.allowRemote {
		listener.Close()
		return nil, "", fmt.Errorf("listen on %s: whoever reaches it may try to run commands: --allow-remote allows that", f.addr)
	}
	fmt.Fprintf(os.Stderr, "terrarium: listening on %s://%s%s\n", scheme, listener.Addr(), path)
	if told {
		fmt.Fprintf(os.Stderr, "terrarium: token %s\n", token)
	}
	return listener, token, nil
}

// listen serves peers until ctx ends, and then until all they held has ended.
func (f *listenFlags) listen(ctx context.Context, c acpconn.Config, l *links) error {
	listener, token, err := f.bind("ws", listenPath)
	if err != nil {
		return err
	}
	fmt.Fprint(os.Stderr, howToSend)
	c.Driver.Core.Budget = &driver.Budget{Terminals: allTerminals, Bytes: allBytes}
	c.Driver.Core.KeptBudget = &driver.Budget{Terminals: allTerminals, Bytes: allKeptBytes}
	return (&wsServer{
		config: c, links: l, token: token, origins: f.origins, isOurs: f.isOurs,
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
func (s *wsServer) run() error {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+listenPath, s.serve)
	return s.gate.serve(s.ctx, mux)
}

// serve answers requests until ctx ends, or the listener fails, and then until all peers have left.
func (g *gate) serve(ctx context.Context, handler http.Handler) (err error) {
	server := &http.Server{
		Handler: handler, ConnContext: withVisitor, MaxHeaderBytes: 64 << 10,
		ReadHeaderTimeout: headerTime, ReadTimeout: headerTime, WriteTimeout: headerTime, IdleTimeout: headerTime,
	}
	// A connection is for one request: who is refused asks again on another,
	// and holds no place in between.
	server.SetKeepAlivesEnabled(false)
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(g) }() // ends with Close
	select {
	case err = <-ended:
	case <-ctx.Done():
	}
	server.Close()
	g.wait()
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
	b, err := private.ReadOrPipe(f.tokenFile, maxTokenFile)
	if err != nil {
		return "", false, err
	}
	token = strings.TrimSpace(string(b))
	if len(token) < 16 {
		return "", false, fmt.Errorf("%s: a token of less than 16 characters could be guessed", f.tokenFile)
	}
	return token, false, nil
}

// admitted returns the one who has sent r, if it is meant for us and knows the token and there is a
// place; then leave must be called. Else it answers.
func admitted(w http.ResponseWriter, r *http.Request, isOurs, knowsToken bool) (v *visitor, ok bool) {
	switch {
	case !isOurs:
		http.Error(w, "terrarium: Host: want localhost or an address of this machine's own", http.StatusForbidden)
		return nil, false
	case !knowsToken:
		w.Header().Set("WWW-Authenticate", "Bearer")
		http.Error(w, "terrarium: the bearer token is missing or wrong", http.StatusUnauthorized)
		return nil, false
	}
	v = r.Context().Value(visitorKey{}).(*visitor)
	if !v.admit() {
		http.Error(w, "terrarium: too many peers", http.StatusServiceUnavailable)
		return nil, false
	}
	return v, true
}

// serve serves one peer.
func (s *wsServer) serve(w http.ResponseWriter, r *http.Request) {
	v, ok := admitted(w, r, s.isOurs(r.Host), s.knowsToken(r))
	if !ok {
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
	peer := acpconn.New(s.config)
	leave := s.links.join(peer)
	err = peer.Serve(s.ctx, stream, stream)
	leave()
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
	token, ok := bearer(r)
	for _, offered := range r.Header.Values("Sec-WebSocket-Protocol") {
		for name := range strings.SplitSeq(offered, ",") {
			if t, found := strings.CutPrefix(strings.TrimSpace(name), tokenPrefix); found && !ok {
				token, ok = t, true
			}
		}
	}
	return ok && isToken(token, s.token)
}

// bearer returns the token in the header of r.
func bearer(r *http.Request) (token string, ok bool) {
	return strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
}

// isToken compares tokens in a time that tells nothing of where they differ.
func isToken(token, want string) bool {
	return subtle.ConstantTimeCompare([]byte(token), []byte(want)) == 1
}
