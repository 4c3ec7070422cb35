package mcp

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core/driver"
)

// TestIdleSessions: clients that went away without a word keep nobody out: a new one takes the
// place of who was idle for the longest time.
func TestIdleSessions(t *testing.T) {
	s := New(Config{Driver: driver.Config{Host: noHost{}}})
	defer s.Close()
	handler := s.Handler()
	call := func(ctx context.Context, session, body string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(ctx, "POST", "/mcp", strings.NewReader(body))
		r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
		if session != "" {
			r.Header.Set(sessionHeader, session)
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w
	}
	open := func() string {
		w := call(t.Context(), "", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`)
		if w.Code != http.StatusOK {
			t.Fatalf("session %d: got %d %s", len(s.sessionIDs()), w.Code, w.Body)
		}
		return w.Header().Get(sessionHeader)
	}
	const ping = `{"jsonrpc":"2.0","id":2,"method":"ping"}`
	first, second := open(), open()
	for range maxSessions - 2 {
		open()
	}
	if w := call(t.Context(), first, ping); w.Code != http.StatusOK { // so it is not the one
		t.Fatalf("got %d %s", w.Code, w.Body)
	}
	last := open()
	for session, want := range map[string]int{first: http.StatusOK, second: http.StatusNotFound, last: http.StatusOK, "unknown": http.StatusNotFound} {
		if w := call(t.Context(), session, ping); w.Code != want {
			t.Errorf("got %d %s, want %d", w.Code, w.Body, want)
		}
	}
	for range 10 {
		open()
	}
	if n := len(s.sessionIDs()); n != maxSessions {
		t.Errorf("there are %d sessions, want %d", n, maxSessions)
	}
}

func (s *Server) sessionIDs() (ids []string) {
	for session := range s.mcp.Sessions() {
		ids = append(ids, session.ID())
	}
	return ids
}
