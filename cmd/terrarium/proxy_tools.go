package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/mcp"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/proxy"
	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// A toolbox serves the terminals of mcp to those whom a proxy's agent starts: see newTools. They
// connect to a socket, and show a token that stands for one session.
type toolbox struct {
	config mcp.Config                // what each of them gets
	told   func(roots string) string // Instructions for commands in such directories
	self   string                    // our program
	socket string
	gate   *gate

	mu     sync.Mutex // guards what follows
	grants map[[sha256.Size]byte]*proxy.Grant
	tokens map[*proxy.Grant][sha256.Size]byte
	peers  map[*proxy.Grant]int

	ended  chan struct{} // closed when nobody is let in any more
	remove func()        // removes the socket
}

var _ proxy.Tools = (*toolbox)(nil)

const (
	tokenVariable = "TERRARIUM_TOKEN"
	// helloTime is how long a peer may take to show its token, and helloSize how long a token may
	// be.
	helloTime = 10 * time.Second
	helloSize = 128
	// maxToolPeers is how many may use a session's tools at a time. An agent starts one.
	maxToolPeers = 16
	// What we say to a token.
	helloYes, helloNo = "yes\n", "no\n"
)

// openToolbox begins to take connections. Each runs commands as c says, on a driver as d says, and
// tells a model what told returns for its directories.
func openToolbox(d driver.Config, c core.Command, told func(roots string) string) (*toolbox, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	d.Core.Budget = &driver.Budget{Terminals: allTerminals, Bytes: allBytes}
	listener, remove, err := privateSocket()
	if err != nil {
		return nil, fmt.Errorf("--terminals mcp: no socket for the agent's tools: %w", err)
	}
	t := &toolbox{
		config: mcp.Config{Driver: d, Command: c, Version: readBuild().Version, Foremost: true},
		told:   told,
		self:   self, socket: listener.Addr().String(), gate: newGate(listener),
		grants: make(map[[sha256.Size]byte]*proxy.Grant), tokens: make(map[*proxy.Grant][sha256.Size]byte), peers: make(map[*proxy.Grant]int),
		ended: make(chan struct{}), remove: remove,
	}
	go t.run() // ends with close
	return t, nil
}

// Offer implements proxy.Tools.
func (t *toolbox) Offer(g *proxy.Grant) proxy.Program {
	token := rand.Text()
	sum := sha256.Sum256([]byte(token))
	t.mu.Lock()
	defer t.mu.Unlock()
	t.grants[sum], t.tokens[g] = g, sum
	return proxy.Program{
		Command: t.self, Args: []string{toolsName, t.socket},
		Env: []core.EnvVariable{{Name: tokenVariable, Value: token}},
	}
}

// Withdraw implements proxy.Tools.
func (t *toolbox) Withdraw(g *proxy.Grant) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.grants, t.tokens[g])
	delete(t.tokens, g)
}

// close ends all that is served, and removes the socket. The grants have ended.
func (t *toolbox) close() {
	t.gate.Close()
	<-t.ended
	t.gate.wait()
	t.remove()
}

func (t *toolbox) run() {
	defer close(t.ended)
	for {
		conn, err := t.gate.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil: // no descriptors, say
			time.Sleep(strangerTime)
			continue
		}
		go t.serve(conn.(*visitor)) // ends with the connection, its grant, or helloTime
	}
}

// serve serves who is there if it shows a token.
func (t *toolbox) serve(v *visitor) {
	defer v.Close()
	v.SetDeadline(time.Now().Add(helloTime))
	if err := ofOurUser(v.Conn); err != nil {
		warn(os.Stderr, fmt.Errorf("a process has connected to the agent's tools and was refused: %w", err))
		return
	}
	in := bufio.NewReaderSize(v, helloSize)
	token, err := in.ReadSlice('\n')
	if err != nil {
		return
	}
	g := t.enter(token[:len(token)-1])
	if g == nil {
		io.WriteString(v, helloNo)
		return
	}
	defer t.leave(g)
	if !v.admit() {
		io.WriteString(v, helloNo)
		return
	}
	defer v.leave()
	if _, err := io.WriteString(v, helloYes); err != nil {
		return
	}
	v.SetDeadline(time.Time{})
	config := t.config
	config.Driver = g.Lend(config.Driver)
	config.Command.Cwd, config.Command.Roots = g.Dirs()
	config.Instructions = t.told(strings.Join(config.Command.Roots, ", "))
	server := mcp.New(config)
	defer server.Close()
	// Otherwise a write to a peer that does not read would go on.
	stop := context.AfterFunc(g.Context(), func() { v.Close() })
	defer stop()
	server.ServeStdio(g.Context(), in, v) // an error is that it has gone
}

// enter returns the grant that a token stands for, if there is a place; then leave must be called.
func (t *toolbox) enter(token []byte) *proxy.Grant {
	t.mu.Lock()
	defer t.mu.Unlock()
	g := t.grants[sha256.Sum256(token)] // its time tells of the hash at most
	if g == nil || t.peers[g] == maxToolPeers {
		return nil
	}
	t.peers[g]++
	return g
}

func (t *toolbox) leave(g *proxy.Grant) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.peers[g]--; t.peers[g] == 0 {
		delete(t.peers, g)
	}
}
