package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

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

	ctx   context.Context // ends every connection
	peers sync.WaitGroup
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

	s := &wsServer{config: c, token: token, origins: f.origins, ctx: ctx}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+listenPath, s.serve)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }() // ends with Close
	select {
	case err = <-ended:
	case <-ctx.Done():
	}
	server.Close()
	s.peers.Wait()
	return err
}

// token returns the secret that peers must know. told says that it is new, and
// a person must be told.
func (f *listenFlags) token() (token string, told bool, err error) {
	if f.tokenFile == "" {
		return rand.Text(), true, nil
	}
	b, err := os.ReadFile(f.tokenFile)
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
	if !s.knowsToken(r) {
		w.Header().Set("WWW-Authenticate", "Bearer")
		http.Error(w, "terrarium: the bearer token is missing or wrong", http.StatusUnauthorized)
		return
	}
	// Accept refuses pages of another origin than ours and those allowed.
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{
		Subprotocols: []string{subprotocol}, OriginPatterns: s.origins,
	})
	if err != nil {
		return // Accept has answered
	}
	s.peers.Add(1)
	defer s.peers.Done()
	defer conn.CloseNow()
	conn.SetReadLimit(maxMessage)
	stream := &wsStream{ctx: s.ctx, conn: conn}
	if err := acpconn.Serve(s.ctx, stream, stream, s.config); err != nil {
		conn.Close(websocket.StatusGoingAway, "")
		return
	}
	conn.Close(websocket.StatusNormalClosure, "")
}

// maxMessage is the longest message taken, in bytes: as long as a line may be.
const maxMessage = 32 << 20

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

// wsStream is a WebSocket as a stream of lines: a line is a text message.
type wsStream struct {
	ctx  context.Context
	conn *websocket.Conn
	rest []byte // of the message being read, and its line end
}

// Read gives the next message, or more of the last one.
func (s *wsStream) Read(p []byte) (int, error) {
	if len(s.rest) == 0 {
		_, message, err := s.conn.Read(s.ctx)
		if err != nil {
			return 0, endOfPeer(err)
		}
		s.rest = append(message, '\n')
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// Write sends whole lines.
func (s *wsStream) Write(p []byte) (int, error) {
	for line := range bytes.Lines(p) {
		if err := s.conn.Write(s.ctx, websocket.MessageText, bytes.TrimSuffix(line, []byte("\n"))); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// endOfPeer turns the ways in which a peer may leave into the end of input.
func endOfPeer(err error) error {
	if websocket.CloseStatus(err) != -1 || errors.Is(err, net.ErrClosed) {
		return io.EOF
	}
	return err
}
