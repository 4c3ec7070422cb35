package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/mcp"
)

// mcpPath is where clients of mcp --listen connect, as nearly everywhere.
const mcpPath = "/mcp"

// An mcpDoor lets requests in to mcp.Server's Handler.
type mcpDoor struct {
	flags   *listenFlags
	token   string
	handler http.Handler
}

// listenMCP serves clients until ctx ends.
func (f *mcpFlags) listenMCP(ctx context.Context, server *mcp.Server) error {
	listener, token, err := f.bind("http", mcpPath)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle(mcpPath, &mcpDoor{&f.listenFlags, token, server.Handler()})
	return newGate(listener).serve(ctx, mux)
}

// ServeHTTP implements http.Handler.
func (d *mcpDoor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	origin := r.Header.Get("Origin")
	if origin != "" {
		// What a page asks beforehand ("preflight") comes without the token.
		if !d.flags.isOurs(r.Host) || !d.allows(origin, r.Host) {
			http.Error(w, "terrarium: no page of this origin may connect: --allow-origin allows it", http.StatusForbidden)
			return
		}
		allowOrigin(w, origin)
		if r.Method == http.MethodOptions {
			w.WriteHeader(http.StatusNoContent)
			return
		}
	}
	token, ok := bearer(r)
	v, ok := admitted(w, r, d.flags.isOurs(r.Host), ok && isToken(token, d.token))
	if !ok {
		return
	}
	defer v.leave()
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mcp.MaxBody))
	if err != nil {
		http.Error(w, "terrarium: "+err.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	// The request is here, in time. Its answer takes as long as commands do; a piece of it may not.
	conn := http.NewResponseController(w)
	conn.SetReadDeadline(time.Time{})
	conn.SetWriteDeadline(time.Time{})
	d.handler.ServeHTTP(&pieces{w, conn}, r)
}

// allows reports whether a page may connect: one of our own, or one that a person has named.
func (d *mcpDoor) allows(origin, host string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" {
		return false
	}
	named := func(pattern string) bool {
		ok, err := path.Match(strings.ToLower(pattern), strings.ToLower(u.Host))
		return ok && err == nil
	}
	return strings.EqualFold(u.Host, host) || slices.ContainsFunc(d.flags.origins, named)
}

// allowOrigin tells a browser what a page of origin may send and see.
func allowOrigin(w http.ResponseWriter, origin string) {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Vary", "Origin")
	h.Set("Access-Control-Allow-Methods", "GET, POST, DELETE")
	h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Accept, Last-Event-ID, Mcp-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name")
	h.Set("Access-Control-Expose-Headers", "Mcp-Session-Id")
}

// pieces is an answer each piece of which must be taken in time.
type pieces struct {
	http.ResponseWriter
	conn *http.ResponseController
}

func (p *pieces) Write(b []byte) (int, error) {
	p.conn.SetWriteDeadline(time.Now().Add(silenceLimit))
	return p.ResponseWriter.Write(b)
}

// Unwrap is for http.ResponseController.
func (p *pieces) Unwrap() http.ResponseWriter { return p.ResponseWriter }
