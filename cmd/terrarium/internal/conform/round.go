package conform

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"time"
)

// A round tries every point once, in a turn.
type round struct {
	config     *Config
	peer       *peer
	points     []Point
	client     client // as it was when the turn began
	connection context.Context
	turn       context.Context // ends with connection, and when the client cancels it

	folder string // one of ours, in the session's directory if we can; empty if there is none
	held   *pulse // what pointConnectionEnds has left running
}

// run returns the results in the order of their numbers.
func (r *round) run() []Result {
	const pattern = "terrarium-conform-"
	folder, err := "", error(nil)
	if r.client.cwd != "" { // where the commands of a client that confines them can be watched
		folder, err = os.MkdirTemp(r.client.cwd, "."+pattern)
	}
	if folder == "" {
		folder, err = os.MkdirTemp("", pattern)
	}
	if err == nil {
		r.folder = folder
		defer os.RemoveAll(folder)
	}
	var results []Result
	for _, p := range order(r.points) {
		result := r.point(&p)
		results = append(results, result)
		r.say(result.String())
		r.config.Notice(result.String())
	}
	slices.SortFunc(results, func(a, b Result) int { return a.Number - b.Number })
	return results
}

// point tries one point, if it can be.
func (r *round) point(p *Point) Result {
	if err := context.Cause(r.turn); err != nil {
		return p.result(NotRun, err.Error())
	}
	terminal := r.client.about.Terminal
	switch {
	case p.needs == needsTerminals && !terminal:
		return p.result(NotRun, "the client does not advertise terminals")
	case p.needs == needsNoTerminals && terminal:
		return p.result(NotRun, "the client advertises terminals")
	}
	started := time.Now()
	verdict, evidence := r.try(p)
	result := p.result(verdict, evidence)
	result.DurationMs = time.Since(started).Milliseconds()
	return result
}

// try has p judge the client, for a bounded time.
func (r *round) try(p *Point) (v Verdict, evidence string) {
	parent := r.turn
	if p.Number == pointCancelledTurn {
		parent = r.connection // it goes on where the turn is cancelled
	}
	ctx, cancel := context.WithTimeoutCause(parent, 6*r.config.Patience+time.Minute, errOver)
	defer cancel()
	t := &trial{ctx: ctx, round: r, peer: r.peer, client: &r.client, patience: r.config.Patience}
	defer func() {
		ended := recover()
		t.clean()
		switch e := ended.(type) {
		case nil:
			v, evidence = Passed, t.evidence()
		case end:
			v, evidence = e.verdict, strings.Join(append(t.notes, e.text), "; ")
		default:
			panic(e)
		}
	}()
	p.try(t)
	return // as the function above says
}

// say adds a line to the conversation.
func (r *round) say(text string) error {
	return r.update(fields{"sessionUpdate": "agent_message_chunk", "content": fields{"type": "text", "text": text + "\n"}})
}

// update sends a session/update.
func (r *round) update(update fields) error {
	return r.peer.notify("session/update", fields{"sessionId": r.client.session, "update": update}.encode())
}

// cancelled reports whether the client has cancelled the turn.
func (r *round) cancelled() bool { return errors.Is(context.Cause(r.turn), errCancelled) }
