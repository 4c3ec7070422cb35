package harness

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/challenge"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// maxUnread is how much of what it is asked a child may leave unread, in bytes.
const maxUnread = 64 << 20

// endGrace is how long a child may take to end when its input has.
const endGrace = time.Second

// ChildConfig says what a Child is.
type ChildConfig struct {
	// Host runs it. It need not be the one that the shell runs on.
	Host driver.Host
	Core core.Config
	// Command is run on pipes.
	Command core.Command
	Wire    Wire
	Format  challenge.Format
	// Wrap is as Config's.
	Wrap func(c driver.Config) driver.Config
	// Stderr, if set, gets what it writes there.
	Stderr io.Writer
}

// A Child is an Agent that is a process: it reads requests from its standard
// input and answers on its standard output.
type Child struct {
	config ChildConfig
	driver *driver.Driver
	term   *driver.Terminal
	gone   chan struct{} // closed when it has ended, and all it has said is in answers

	mu      sync.Mutex // guards the fields below
	answers answers
	full    bool
	some    chan struct{} // holds a value if answers has changed
	exit    core.Exit
}

var _ Agent = (*Child)(nil)

// Start starts a child. Close ends it.
func Start(ctx context.Context, c ChildConfig) (*Child, error) {
	a := &Child{config: c, answers: answers{wire: c.Wire, format: c.Format}, some: make(chan struct{}, 1), gone: make(chan struct{})}
	c.Core.MaxInput = max(c.Core.MaxInput, maxUnread)
	a.driver = driver.New(wrapped(c.Wrap, driver.Config{Host: c.Host, Core: c.Core, OnOutput: a.handleOutput}))
	c.Command.Pty, c.Command.Interactive, c.Command.OutputByteLimit = false, true, -1
	var err error
	if a.term, err = a.driver.Create(ctx, "", c.Command); err != nil {
		a.driver.Close()
		return nil, err
	}
	go func() { // ends with the child, which Close ends
		a.exit, _ = a.term.Wait(context.Background())
		close(a.gone)
	}()
	return a, nil
}

func (a *Child) handleOutput(_ core.TerminalID, stream uint8, p []byte) {
	if stream == 2 {
		if a.config.Stderr != nil {
			a.config.Stderr.Write(p) // who does not listen misses it
		}
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.full = a.full || len(a.answers.buf)+len(p) > maxAnswer; !a.full {
		a.answers.buf = append(a.answers.buf, p...)
	}
	select {
	case a.some <- struct{}{}:
	default:
	}
}

// Ask implements Agent. What the child has said before it was asked counts.
func (a *Child) Ask(ctx context.Context, r Request) (answer string, err error) {
	// One that reads no more may have said all that it has to say, and if not,
	// its end is told below.
	if _, err := a.term.Write(a.config.Wire.request(r)); errors.Is(err, core.ErrInputFull) {
		return "", fmt.Errorf("harness: %s: the agent does not read what it is asked", a.name())
	}
	gone := false
	quiet := time.Duration(0) // for how long nothing was said
	for {
		a.mu.Lock()
		answer, ok := a.answers.next(gone)
		if !ok {
			answer, ok = a.answers.giveUp(quiet)
		}
		full := a.full
		a.mu.Unlock()
		switch {
		case ok:
			return answer, nil
		case full:
			return "", fmt.Errorf("harness: %s: an answer of more than %d MiB", a.name(), maxAnswer>>20)
		case gone:
			return "", a.endError()
		}
		var later <-chan time.Time
		next := nextQuiet(quiet)
		if next > 0 {
			later = time.After(next)
		}
		select {
		case <-a.some:
			quiet = 0
		case <-later:
			quiet += next
		case <-a.gone:
			gone = true
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}

// maxName is how much of a command line is shown to tell which agent it was, in
// bytes.
const maxName = 80

func (a *Child) name() string {
	name := strings.Join(append([]string{a.config.Command.Command}, a.config.Command.Args...), " ")
	if len(name) > maxName {
		name = strings.ToValidUTF8(name[:maxName], "") + "…"
	}
	return name
}

// endError says how the child has ended, which it should not have.
func (a *Child) endError() error {
	how := "the agent has ended with " + a.exit.Status.String()
	if a.exit.Status.Unknown {
		how = "lost track of the agent"
	}
	return fmt.Errorf("harness: %s: %s before the task was done", a.name(), how)
}

// Close closes the child's input and returns when nothing of it is left, in a
// second or when it is killed.
func (a *Child) Close() error {
	a.term.CloseInput() // it may have ended
	select {
	case <-a.gone:
	case <-time.After(endGrace):
	}
	return a.driver.Close()
}
