// Package live shows a person at a terminal what an agent does while it does it. It is a
// client.View.
//
// What is over goes to the terminal's history, above; what is not, stands below it and is drawn
// anew: the line that the agent is saying, a region for each terminal, its plan, a question, and a
// line that says how long all takes. A region has as many rows as its terminal. What scrolls out of
// it goes to the history.
//
// Nothing that an agent or a command writes reaches the terminal as it is: text is made safe by
// client.Clean, and the output of commands is drawn from a vt.Screen.
package live

import (
	"context"
	"errors"
	"os"
	"slices"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/client"
)

const (
	frameTime  = 50 * time.Millisecond // between two looks of a person
	closeLimit = 3 * time.Second       // for a terminal that takes nothing any more
	maxBatches = 10                    // screens of history in a frame
	// maxPending is how many lines may wait for their place in the history before those of
	// terminals are left out. With twice as many, what tells of more waits.
	maxPending = 1000
)

// Config says where a View is shown.
type Config struct {
	In, Out *os.File // a terminal
	Color   bool
	// Interrupt is called for each ^C that the person types.
	Interrupt func()
	// Failed is called if the terminal can't be used.
	Failed func(error)
}

// A View is a client.View. Its methods are safe for concurrent use.
type View struct {
	program *tea.Program
	color   bool
	quit    chan struct{}
	done    chan struct{}

	mu         sync.Mutex // guards the fields below
	cols, rows int
	history    []string  // lines that wait for their place
	room       sync.Cond // history has become shorter
	regions    []*region
	byID       map[string]*region
	count      int
	said       string // the line that the agent is saying
	thought    string
	message    string // the id of the message that said or thought is of
	plan       []client.Step
	status     string
	since      time.Time
	questions  []*question
	fresh      bool   // there is something that was not drawn
	heights    [3]int // the most rows that were drawn, in this frame and in the two before
	closing    bool
	closed     bool
}

var _ client.View = (*View)(nil)

// New returns a View that is shown until Close.
func New(c Config) *View {
	v := &View{
		color: c.Color, quit: make(chan struct{}), done: make(chan struct{}), byID: make(map[string]*region),
		cols: 80, rows: 24, status: "starting the agent: ^C ends it", since: time.Now(), fresh: true,
	}
	v.room.L = &v.mu
	v.program = tea.NewProgram(model{v, c.Interrupt},
		tea.WithInput(c.In), tea.WithOutput(c.Out), tea.WithoutSignalHandler(), tea.WithFPS(int(time.Second/frameTime)))
	go func() { // ends with Quit or Kill, in Close
		defer close(v.done)
		if _, err := v.program.Run(); err != nil && !errors.Is(err, tea.ErrProgramKilled) {
			c.Failed(err)
		}
	}()
	go v.run() // ends when Close closes quit
	return v
}

// Close shows all that is left and gives the person the terminal back.
func (v *View) Close() {
	v.mu.Lock()
	v.closing = true
	v.room.Broadcast()
	v.endSaid()
	v.endThought()
	for len(v.regions) > 0 {
		v.end(v.regions[0], "is left behind")
	}
	v.mu.Unlock()
	close(v.quit)
	flushed := make(chan struct{})
	go func() { // ends at once after Kill
		defer close(flushed)
		for v.flush() {
		}
		v.mu.Lock()
		v.closed = true
		v.mu.Unlock()
		v.program.Send(refresh{})
		v.program.Quit()
		v.program.Wait()
	}()
	select {
	case <-flushed:
		return
	case <-time.After(closeLimit):
	}
	go v.program.Kill() // it waits for the terminal, too
	select {
	case <-v.done:
	case <-time.After(closeLimit):
	}
}

// run has what is new be drawn.
func (v *View) run() {
	tick := time.NewTicker(frameTime)
	defer tick.Stop()
	seconds := -1
	for {
		select {
		case <-tick.C:
		case <-v.quit:
			return
		}
		for i := 0; i < maxBatches && v.flush(); i++ {
		}
		v.mu.Lock()
		now := int(time.Since(v.since).Seconds())
		draw := v.fresh || now != seconds
		v.fresh, seconds = false, now
		v.heights = [...]int{len(v.lines()), v.heights[0], v.heights[1]}
		v.mu.Unlock()
		if draw {
			v.program.Send(refresh{})
		}
	}
}

// flush has lines go to the history, as many as have a place above what is drawn. It reports
// whether there are more.
func (v *View) flush() bool {
	v.mu.Lock()
	// What is on the terminal now is drawn with a delay. Were there no room for it and the lines,
	// some of it would be scrolled into the history.
	height := max(len(v.lines()), slices.Max(v.heights[:]))
	n := min(max(1, v.rows-height-2), len(v.history))
	lines := append([]string(nil), v.history[:n]...)
	v.history = v.history[n:]
	left := len(v.history) > 0
	v.room.Broadcast()
	v.mu.Unlock()
	if n > 0 {
		v.program.Send(above(lines))
	}
	return left
}

// AskOne puts a question to the person and returns the index of the answer. The text and the
// options are safe to show. whole, if not nil, has more of the text. It returns when ctx has ended,
// with its error.
func (v *View) AskOne(ctx context.Context, text []string, options []Option, whole []string) (int, error) {
	q := newQuestion(text, options, whole)
	v.mu.Lock()
	v.ask(q)
	v.mu.Unlock()
	defer func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.drop(q)
	}()
	select {
	case n := <-q.answer:
		return n, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	case <-v.done:
		return 0, client.ErrNobody
	}
}

// SetStatus says what is waited for.
func (v *View) SetStatus(s string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.status, v.fresh = s, true
}
