package mcp

import (
	"fmt"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// DefaultIdleRelease is how long a terminal lives that no call names.
const DefaultIdleRelease = 10 * time.Minute

const (
	// maxTerminals is how many terminals there are at a time, of all clients. For another one, the
	// terminal of an ended command goes that was not used for the longest time.
	maxTerminals = 128
	// maxSlow is how many calls wait for a command, or for a person, at a time. Over stdio it must
	// be less than maxCalls: else an answer that a call waits for might wait for that call.
	maxSlow = 128
)

// session is what the terminals of all clients belong to: the protocol has none.
const session core.SessionID = "mcp"

// Config says how terminals are served.
type Config struct {
	// Driver says what commands run on. Its OnNews and OnClosing are called besides ours. Its
	// Decide may ask the client, see Elicitation, and all that it and its Host are called with know
	// the client, see ClientOf. The machine keeps no output of released terminals.
	Driver driver.Config
	// Command is what every command gets. Its Cwd is where commands run that do not say, and what a
	// relative directory is relative to.
	Command core.Command
	// IdleRelease is how long a terminal lives that no call names. If zero, DefaultIdleRelease.
	IdleRelease time.Duration
	// Foremost says that the tools stand in for those that a client has of its own. Claude Code,
	// which looks for the tools of others when it needs one, has terminal_create at hand then.
	Foremost bool
	// Instructions are told to models besides what all terminals have, as what commands may not do
	// here.
	Instructions string
	// Version is the program's own.
	Version string
}

// A Server has the terminals of all its clients. Its methods are safe for concurrent use.
type Server struct {
	config Config
	driver *driver.Driver
	mcp    *sdk.Server
	slow   chan struct{}       // has an element for each call that may take long
	names  map[string][]string // of the arguments of each tool
	ending chan struct{}       // closed by end
	end    func()              // has every call return soon

	starting sync.RWMutex // held while a terminal has an id and is not in terminals yet

	mu        sync.Mutex // guards what follows; nothing of the driver is called with it
	terminals map[core.TerminalID]*terminal
	parked    map[string]*creation // what waits for its client to come back with an answer
}

// New returns a Server without terminals. Close frees it.
func New(c Config) *Server {
	if c.IdleRelease == 0 {
		c.IdleRelease = DefaultIdleRelease
	}
	s := &Server{
		slow: make(chan struct{}, maxSlow), ending: make(chan struct{}), names: make(map[string][]string),
		terminals: make(map[core.TerminalID]*terminal), parked: make(map[string]*creation),
	}
	s.end = sync.OnceFunc(func() { close(s.ending) })
	c.Driver.Core.KeepTerminals, c.Driver.Core.MaxKeptTerminals = -1, -1
	c.Driver.OnNews = s.andNews(c.Driver.OnNews)
	c.Driver.OnClosing = s.andClosing(c.Driver.OnClosing)
	c.Driver.Host = knowing{c.Driver.Host, s}
	if decide := c.Driver.Decide; decide != nil {
		c.Driver.Decide = s.decide(decide)
	}
	s.config = c
	s.driver = driver.New(c.Driver)
	s.mcp = sdk.NewServer(&sdk.Implementation{Name: "terrarium", Title: "Terrarium", Version: c.Version}, &sdk.ServerOptions{
		Instructions: strings.TrimSpace(fmt.Sprintf(instructions, words(c.IdleRelease)) + " " + c.Instructions),
		// Nothing of what there is changes while we run, and we send no log messages.
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}, Resources: &sdk.ResourceCapabilities{}},
	})
	s.addTools()
	s.mcp.AddReceivingMiddleware(s.namesArguments)
	s.addResource()
	return s
}

// instructions are what a model may be told of all tools. They have the time of IdleRelease.
const instructions = `Commands run in terminals. terminal_create starts one and waits for it a while, so a short command is one call. ` +
	`A longer one goes on: its id is in the answer, terminal_wait waits for its end and terminal_output reads what it has printed. ` +
	`With "interactive" a command can be typed to, by terminal_write and terminal_keys, and seen with terminal_screen. ` +
	`A terminal that no call names for %s is released: its command is ended and its output is gone.`

// Close releases every terminal, waits until nothing of them is left, and frees the server.
func (s *Server) Close() error {
	s.end()
	err := s.driver.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, t := range s.terminals {
		t.idle.Stop()
		delete(s.terminals, id)
	}
	return err
}

// andNews keeps what becomes of terminals. Others hear of it first: with us a client does.
func (s *Server) andNews(theirs func(*core.Effect)) func(*core.Effect) {
	return func(e *core.Effect) {
		if theirs != nil {
			theirs(e)
		}
		s.handleNews(e)
	}
}

func (s *Server) andClosing(theirs func(*core.Terminal)) func(*core.Terminal) {
	return func(t *core.Terminal) {
		s.handleClosing(t)
		if theirs != nil {
			theirs(t)
		}
	}
}
