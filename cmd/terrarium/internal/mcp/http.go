package mcp

import (
	"net/http"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// MaxBody is how long a request over HTTP may be, in bytes.
	MaxBody = 1 << 20
	// maxSessions is how many sessions there may be of clients whose version of the protocol has
	// them.
	maxSessions = 256
	// sessionTime is how long such a session lives without a request, unless another one needs its
	// place.
	sessionTime = 30 * time.Minute
)

// Handler serves clients over HTTP: the "streamable" transport. It checks nobody's right to call.
//
// Two of the SDK's handlers do it. The newest version of the protocol has no sessions; those before
// need one, or else a client could not be asked anything while its call waits.
func (s *Server) Handler() http.Handler {
	get := func(*http.Request) *sdk.Server { return s.mcp }
	stateless := sdk.NewStreamableHTTPHandler(get, &sdk.StreamableHTTPOptions{
		Stateless: true, PropagateRequestCancellation: true, MaxRequestBodyBytes: MaxBody, DisableLocalhostProtection: true,
	})
	stateful := sdk.NewStreamableHTTPHandler(get, &sdk.StreamableHTTPOptions{
		SessionTimeout: sessionTime, MaxRequestBodyBytes: MaxBody, DisableLocalhostProtection: true,
	})
	idle := &idleness{since: make(map[string]time.Time), busy: make(map[string]int)}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Protocol-Version") >= versionRounds {
			stateless.ServeHTTP(w, r)
			return
		}
		id := r.Header.Get(sessionHeader)
		if id == "" && !idle.makeRoom(s.mcp) {
			http.Error(w, "terrarium: too many sessions, and all have a request under way", http.StatusServiceUnavailable)
			return
		}
		if idle.begin(id) {
			defer idle.end(id)
		}
		stateful.ServeHTTP(w, r)
		if id == "" {
			idle.end(w.Header().Get(sessionHeader))
		}
	})
}
