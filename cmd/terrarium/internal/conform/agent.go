package conform

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// DefaultPatience is how long an answer may take where [Config.Patience] is zero.
const DefaultPatience = 10 * time.Second

// DefaultKillGrace is [Config.KillGrace] where that is zero: twice what most clients give.
const DefaultKillGrace = 10 * time.Second

var (
	errCancelled = errors.New("the client has cancelled the turn")
	errOver      = errors.New("the time of the point is over")
)

// Config says how a client is tried.
type Config struct {
	// Only has the numbers of the points to try. If empty, all are.
	Only []int
	// Patience is how long the answer to one request may take. If zero, it is
	// DefaultPatience. A point may take six times that, and a minute. Once a point has
	// waited that long and no command of the client has printed anything yet, the
	// later ones wait a second at most for signs of theirs.
	Patience time.Duration
	// KillGrace is how long a client may let a command live that it has asked to end.
	// If zero, it is DefaultKillGrace.
	KillGrace time.Duration
	// Version is what the client and the report are told of ours.
	Version string
	// Report is called with what is known at the end of each turn, before the client
	// hears of that, and again at the end of the connection. The Report is lent.
	Report func(*Report) error
	// Notice tells a person what goes on, one line a call. It may be nil.
	Notice func(string)
}

// An agent is what the client sees of us.
type agent struct {
	config Config
	peer   *peer
	ctx    context.Context // ends with the connection

	mu     sync.Mutex // guards what follows
	client client
	cancel context.CancelCauseFunc // ends the turn; nil if there is none
	report Report
	held   *pulse // what pointConnectionEnds has left running
	over   bool   // no turn begins any more
	// reportErr is what Config.Report has returned.
	reportErr error

	turn sync.WaitGroup
}

// Serve is the agent on a connection: it answers what comes on r with lines on w,
// until r ends or ctx does. Then it looks whether the client ends what we left
// running, point 47, and returns the report. The error is one of Config.Report.
//
// At the end of ctx it leaves a Read behind.
func Serve(ctx context.Context, r io.Reader, w io.Writer, c Config) (*Report, error) {
	if c.Patience == 0 {
		c.Patience = DefaultPatience
	}
	if c.KillGrace == 0 {
		c.KillGrace = DefaultKillGrace
	}
	if c.Notice == nil {
		c.Notice = func(string) {}
	}
	connection, disconnect := context.WithCancelCause(ctx)
	defer disconnect(nil)
	a := &agent{config: c, peer: newPeer(w), ctx: connection}
	a.report = Report{Version: c.Version, Points: a.untried("the client has not prompted")}
	written := make(chan struct{})
	// The turn is over first, and then nothing can be sent and no answer comes: a point that
	// learns of it is followed by no other.
	go func() { // ends with written, or is left in its last Write
		if a.peer.write(written) != nil {
			disconnect(errGone)
			a.peer.stop(errGone)
		}
	}()
	go func() { // ends with r, or is left in its last Read
		a.peer.read(r, a.handle)
		disconnect(errGone)
		a.peer.end()
	}()
	<-connection.Done()
	a.endPrompts()
	a.turn.Wait()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.letGo()
	close(written)
	a.finishReport()
	if c.Report != nil {
		a.reportErr = errors.Join(a.reportErr, c.Report(&a.report))
	}
	return &a.report, a.reportErr
}

// endPrompts lets no turn begin from now on. One that has begun can be waited for.
func (a *agent) endPrompts() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.over = true
}

// handle takes a request or notification of the client.
func (a *agent) handle(m jsonrpc.Message) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if m.Kind == jsonrpc.Notification {
		if m.Method == "session/cancel" && a.cancel != nil {
			a.cancel(errCancelled)
		}
		return
	}
	var result fields
	var failure *jsonrpc.Error
	switch m.Method {
	case acp.MethodInitialize:
		result, failure = a.initialize(m.Params)
	case "session/new":
		a.client.newSession(m.Params, "conform-"+rand.Text())
		result = fields{"sessionId": a.client.session}
	case "session/prompt":
		if failure = a.prompt(m); failure == nil {
			return // answered at the end of the turn
		}
	default:
		failure = jsonrpc.NewError(jsonrpc.CodeMethodNotFound, "method")
	}
	if failure != nil {
		a.peer.send(jsonrpc.AppendError(nil, m.ID, failure))
		return
	}
	a.peer.send(jsonrpc.AppendResponse(nil, m.ID, result.encode()))
}

func (a *agent) initialize(params jsonrpc.Value) (fields, *jsonrpc.Error) {
	if err := a.client.initialize(params); err != nil {
		return nil, jsonrpc.NewError(jsonrpc.CodeInvalidParams, err.Error())
	}
	a.config.Notice("started by " + a.client.about.String() + ": prompt it with anything")
	if v := a.client.about.ProtocolVersion; v > acp.ProtocolVersion {
		a.report.Points = a.untried(fmt.Sprintf("the client has not prompted: it asked for version %d of ACP, and terminals are those of version %d", v, acp.ProtocolVersion))
	}
	return fields{
		"protocolVersion":   acp.ProtocolVersion,
		"agentCapabilities": fields{"loadSession": false},
		"agentInfo":         fields{"name": "terrarium-conform", "title": "Terrarium's conformance kit", "version": a.config.Version},
		"authMethods":       []string{},
	}, nil
}

// prompt begins a turn.
func (a *agent) prompt(m jsonrpc.Message) *jsonrpc.Error {
	session, _ := m.Params.Get("sessionId")
	switch {
	case a.over:
		return jsonrpc.NewError(jsonrpc.CodeInvalidRequest, errGone.Error())
	case a.cancel != nil:
		return jsonrpc.NewError(jsonrpc.CodeInvalidRequest, "a turn is under way")
	case a.client.session == "" || !session.Is(a.client.session):
		return jsonrpc.NewError(jsonrpc.CodeInvalidParams, "unknown_session")
	}
	a.letGo()
	ctx, cancel := context.WithCancelCause(a.ctx)
	a.cancel = cancel
	r := &round{config: &a.config, peer: a.peer, points: a.selected(), client: a.client, connection: a.ctx, turn: ctx}
	a.turn.Go(func() { // Serve waits for it
		a.take(r, m.ID)
		cancel(nil)
	})
	return nil
}

// take takes a turn, and answers the prompt.
func (a *agent) take(r *round, id jsonrpc.ID) {
	started := time.Now()
	results := r.run()
	stop := "end_turn"
	if errors.Is(context.Cause(r.turn), errCancelled) {
		stop = "cancelled"
	}

	a.mu.Lock()
	defer a.mu.Unlock()
	a.report.Started, a.report.DurationMs = started, time.Since(started).Milliseconds()
	a.report.Points, a.held = results, r.held
	a.finishReport()
	if a.config.Report != nil {
		a.reportErr = errors.Join(a.reportErr, a.config.Report(&a.report))
	}
	r.say(a.report.String())
	a.peer.send(jsonrpc.AppendResponse(nil, id, fields{"stopReason": stop}.encode()))
	a.cancel = nil
}

// finishReport fills in what follows from the rest.
func (a *agent) finishReport() {
	a.report.Client = a.client.about
	a.report.Summary = summarize(a.report.Points)
	a.report.Faults = a.peer.soFar().list
	if a.client.newWrong != "" {
		a.report.Faults = append(a.report.Faults, Fault{"a session/new that is wrong", 1, a.client.newWrong})
	}
}

// letGo judges point 47, if something was left running for it, once the connection
// has ended; before, it only stops to look.
func (a *agent) letGo() {
	if a.held == nil {
		return
	}
	defer a.held.close()
	held := a.held
	a.held = nil
	if a.ctx.Err() == nil {
		return
	}
	i := slices.IndexFunc(a.report.Points, func(r Result) bool { return r.Number == pointConnectionEnds })
	result := &a.report.Points[i]
	limit := a.config.Patience + a.config.KillGrace
	started := time.Now()
	if held.await(false, limit, nil) {
		result.Verdict, result.Evidence = Passed, "the command that was left running has ended with the connection"
	} else {
		result.Verdict, result.Evidence = Failed, fmt.Sprintf("a command still runs %v after the end of the connection", limit)
	}
	result.DurationMs = time.Since(started).Milliseconds()
}

// untried returns results that say why nothing was tried.
func (a *agent) untried(why string) []Result {
	var results []Result
	for _, p := range a.selected() {
		results = append(results, p.result(NotRun, why))
	}
	return results
}

func (a *agent) selected() []Point {
	return slices.DeleteFunc(Points(), func(p Point) bool {
		return len(a.config.Only) > 0 && !slices.Contains(a.config.Only, p.Number)
	})
}

func (p *Point) result(v Verdict, evidence string) Result {
	return Result{
		Number: p.Number, Name: p.Name, Want: p.Want, Level: p.Level, Source: address(p.Source),
		Verdict: v, Evidence: evidence,
	}
}
