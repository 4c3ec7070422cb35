package main

import (
	"sync"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/abi"
	"github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// What drivers are told beside the page's limits.
const (
	liveBytes   = 256 << 10 // of new output at a time
	maxHeld     = 1 << 30   // bytes of output and screens of all terminals
	countsEvery = 250 * time.Millisecond
)

// A sandbox is what one page has: files, a host, a driver for the page's own
// terminals, and one for each peer's.
type sandbox struct {
	page   page
	config config
	files  *files
	host   *hostwasm.Host
	own    *driver.Driver
	budget *driver.Budget // of all drivers
	kept   *driver.Budget

	mu          sync.Mutex // guards the fields below; nothing waits that holds it
	closing     bool
	terminals   map[core.TerminalID]*terminal
	watches     map[int32]*watch
	lastWatch   int32
	peers       map[int32]*peer
	lastPeer    int32
	questions   map[int32]chan core.Decision
	loads       map[int32]chan loaded
	calls       map[int32]*fileCall
	lastRequest int32
	shown       []*terminal        // those with a last snapshot, the oldest first
	shownBytes  int64              // of these
	counted     map[*terminal]bool // those whose counts are to be told
	counting    *time.Timer        // tells them; nil if there are none
	done        chan struct{}      // closed when it has been closed
	events      []byte             // room for one event
}

// newSandbox makes what c says, to run on e. wait is how guests wait that do not say
// it.
func newSandbox(p page, c config, e engine.Engine, cache hostwasm.Cache, wait vfs.Wait) (*sandbox, error) {
	s := &sandbox{
		page: p, config: c,
		budget:    &driver.Budget{Terminals: c.terminals, Bytes: maxHeld},
		kept:      &driver.Budget{Terminals: c.keptTerminals, Bytes: c.keptBytes},
		terminals: make(map[core.TerminalID]*terminal),
		watches:   make(map[int32]*watch),
		peers:     make(map[int32]*peer),
		questions: make(map[int32]chan core.Decision),
		loads:     make(map[int32]chan loaded),
		calls:     make(map[int32]*fileCall),
		counted:   make(map[*terminal]bool),
		done:      make(chan struct{}),
	}
	var err error
	if s.files, err = newFiles(p, &s.config, wait); err != nil {
		return nil, err
	}
	commands, plugins := s.modules()
	s.host, err = hostwasm.New(hostwasm.Config{
		Engine: e, Cache: lazyCache{cache, s, plugins}, Commands: commands, Root: s.files.open,
		Env: c.env, Dir: c.cwd, Limits: c.limits, Memory: c.totalMemory, Compiling: s.compiling,
		Deterministic: c.deterministic,
	})
	if err != nil {
		return nil, err
	}
	s.own = driver.New(s.driver(host{s.host, s, nil}))
	return s, nil
}

// driver returns how terminals are driven on h. A peer leaves an eighth of the room
// to others: an agent that releases nothing does not keep the page from its own.
func (s *sandbox) driver(h host) driver.Config {
	terminals, held := s.config.terminals, int64(maxHeld)
	if h.peer != nil {
		terminals -= terminals / 8
		held -= held / 8
	}
	c := driver.Config{
		Host: h,
		Core: core.Config{
			KillGrace: s.config.killGrace, OutputByteLimit: s.config.outputByteLimit, LiveBytes: liveBytes,
			MaxTerminals: terminals, MaxSessionTerminals: terminals, MaxOutputBytes: held,
			KeepTerminals: s.config.keptTerminals, KeepBytes: s.config.keptBytes,
			MaxKeptTerminals: s.config.keptTerminals, MaxKeptBytes: s.config.keptBytes,
			Budget: s.budget, KeptBudget: s.kept, Screens: true,
		},
		OnNews: s.news, OnClosing: s.closed,
	}
	if s.config.ask {
		c.Decide = s.decide
	}
	return c
}

// command returns what commands of a peer get that its requests don't say.
func (s *sandbox) command(c peerConfig) acp.Config {
	return acp.Config{
		Command: core.Command{
			Cwd: s.config.cwd, Roots: allFiles, Pty: c.pty, Interactive: c.interactive, Screen: true,
			Rows: c.rows, Cols: c.cols,
		},
		Lenient: c.lenient,
		Version: s.config.version,
	}
}

// close ends every terminal, frees everything and then tells so.
func (s *sandbox) close() {
	s.mu.Lock()
	s.closing = true
	peers := make([]*peer, 0, len(s.peers))
	for _, p := range s.peers {
		peers = append(peers, p)
	}
	for _, c := range s.loads {
		c <- loaded{err: errClosed}
	}
	clear(s.loads)
	s.mu.Unlock()
	for _, p := range peers {
		p.in.close()
		p.out.close()
		<-p.served
	}
	s.own.Close()
	s.host.Close() // an error would be a guest that was left behind: the page ends the worker
	s.files.flush()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.counting != nil {
		s.counting.Stop()
	}
	close(s.done)
	s.tell("closed", nil)
}

// tell tells the page an event; members, if not nil, writes what it has besides
// its name. s.mu is held.
func (s *sandbox) tell(name string, members func(e *encoder)) {
	e := encoder{abi.Encoder{JSON: s.events[:0]}}
	e.Begin()
	e.Text("event", name)
	if members != nil {
		members(&e)
	}
	e.End()
	s.page.event(e.JSON)
	if s.events = e.JSON; cap(e.JSON) > maxSpare {
		s.events = nil
	}
}

// tellTerminal tells the page all that is known of t. s.mu is held.
func (s *sandbox) tellTerminal(t *terminal) {
	s.tell("terminal", func(e *encoder) {
		e.Key("terminal")
		e.terminal(t)
	})
}
