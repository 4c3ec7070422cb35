package acp

import (
	"errors"
	"slices"
	"strconv"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// Errors of an Asker, besides *core.LimitError for a question too many.
var (
	// ErrNotAsked: the peer's initialize has not said that it answers questions.
	ErrNotAsked = errors.New("acp: the peer does not answer session/request_permission")
	// ErrQuestionTooLong: nobody would read it, and it must not be shortened.
	ErrQuestionTooLong = errors.New("acp: the question is too long")
	// ErrPeerGone: nobody is left to answer.
	ErrPeerGone = errors.New("acp: the peer is gone")
)

// A PeerError is an error that the peer answered with.
type PeerError struct {
	Code    int32
	Message string // the peer's own words, shortened
}

func (e *PeerError) Error() string {
	return "acp: the peer answered with error " + strconv.Itoa(int(e.Code)) + ": " + e.Message
}

// An AnswerError says what is wrong with an answer of the peer.
type AnswerError struct {
	// Member is the member that is wrong; "" is the whole of it.
	Member string
	// Reason is that of a ParamError, or "unknown" for an option that was not
	// offered.
	Reason string
}

func (e *AnswerError) Error() string {
	member := e.Member
	if member == "" {
		member = "it"
	}
	return "acp: the peer's answer can't be used: " + paramMessage(member, e.Reason)
}

// An Answer is how a question ended.
type Answer struct {
	ID      jsonrpc.ID // of the question
	Outcome Outcome
	// Err is why there is no Outcome: a *PeerError, an *AnswerError, or ErrPeerGone.
	Err error
}

const (
	maxQuestions = 32
	maxQuestion  = 1 << 20 // bytes of a line; more than 64 KiB of command in each form
)

// An Asker asks the peer of a Conn for permission. It is part of the Conn's state:
// what holds for a Conn's methods holds for these, and NextLine has what they send.
//
// It is apart from Conn, which knows it as an interface, so that the linker leaves
// it out of the reactor: policy stays outside of that.
type Asker struct {
	conn    *Conn
	agreed  bool       // the peer answers questions
	draft   bool       // in the form of version 2
	ended   bool       // it is gone
	asked   int64      // questions so far
	open    []question // without answer, the oldest first
	answers []Answer
}

// question is a question that waits for its answer.
type question struct {
	id      jsonrpc.ID
	options []string
}

// take removes the question id from those open.
func (a *Asker) take(id jsonrpc.ID) (q question, ok bool) {
	i := slices.IndexFunc(a.open, func(q question) bool { return q.id == id })
	if i < 0 {
		return question{}, false
	}
	q = a.open[i]
	a.open = slices.Delete(a.open, i, i+1)
	return q, true
}

// NewAsker returns the Asker of c, which must not have handled anything yet.
func NewAsker(c *Conn) *Asker {
	a := &Asker{conn: c}
	c.asker = a
	return a
}

// Agreed reports whether the peer has said that it answers questions.
func (a *Asker) Agreed() bool { return a.agreed && !a.ended }

// Ask sends a question. Its answer will come from NextAnswer under the id that is
// returned, unless Cancel comes first. q is not kept.
func (a *Asker) Ask(q *Question) (jsonrpc.ID, error) {
	limit := min(maxQuestion, a.conn.config.MaxResponse)
	switch {
	case a.ended:
		return jsonrpc.ID{}, ErrPeerGone
	case !a.agreed:
		return jsonrpc.ID{}, ErrNotAsked
	case len(a.open) >= maxQuestions:
		return jsonrpc.ID{}, &core.LimitError{Limit: "questions", Max: maxQuestions}
	case q.size() > limit:
		return jsonrpc.ID{}, ErrQuestionTooLong
	}
	id := jsonrpc.StringID("ask_" + strconv.FormatInt(a.asked+1, 10) + "_" + a.conn.config.Nonce)
	line := jsonrpc.AppendRequestHead(nil, id, MethodRequestPermission)
	form := q.appendParams
	if a.draft {
		form = q.appendDraftParams
	}
	line = jsonrpc.AppendTail(form(line, a.conn.pending.creates[q.Terminal]))
	if len(line) > limit {
		return jsonrpc.ID{}, ErrQuestionTooLong
	}
	a.asked++
	asked := question{id: id}
	for _, o := range q.Options {
		asked.options = append(asked.options, o.OptionID)
	}
	a.open = append(a.open, asked)
	a.conn.out = append(a.conn.out, line)
	return id, nil
}

// Cancel gives a question up and tells the peer so. Of a question that has its
// answer it takes that away, if NextAnswer has not returned it; else it does
// nothing.
func (a *Asker) Cancel(id jsonrpc.ID) {
	if i := slices.IndexFunc(a.answers, func(a Answer) bool { return a.ID == id }); i >= 0 {
		a.answers = slices.Delete(a.answers, i, i+1)
	}
	if _, ok := a.take(id); !ok {
		return
	}
	n := CancelRequestNotification{RequestID: id}
	line := jsonrpc.AppendNotificationHead(nil, MethodCancelRequest)
	a.conn.out = append(a.conn.out, jsonrpc.AppendTail(n.AppendJSON(line)))
}

// NextAnswer returns the next answer.
func (a *Asker) NextAnswer() (Answer, bool) {
	if len(a.answers) == 0 {
		return Answer{}, false
	}
	next := a.answers[0]
	a.answers = a.answers[1:]
	return next, true
}

// asking is what a Conn tells its Asker.
type asking interface {
	// initialized reads the params of initialize.
	initialized(params jsonrpc.Value)
	// toolCall returns the id that the _meta of a terminal/create gives its tool call.
	toolCall(meta []byte) string
	// bounds returns what the _meta of a terminal/create asks for, or nil.
	bounds(meta []byte) (*core.Bounds, error)
	// answered takes a response, which may be malformed.
	answered(m *jsonrpc.Message, malformed bool)
	// gone says that no more will come.
	gone()
}

func (a *Asker) initialized(params jsonrpc.Value) {
	capabilities, _ := params.Get("clientCapabilities")
	agreed, _ := ours(capabilities).Get("requestPermission")
	a.agreed, _ = agreed.Bool()
	version, _ := ours(capabilities).Get("requestPermissionVersion")
	n, _ := version.Int64()
	a.draft = n == DraftVersion
}

// maxToolCall is how long the id of a tool call may be, in bytes.
const maxToolCall = 1 << 10

func (*Asker) toolCall(meta []byte) string {
	v, _ := oursOf(meta).Get("toolCallId")
	id, err := v.Text()
	if err != nil || len(id) > maxToolCall {
		return ""
	}
	return id
}

// maxBound is how long a level's name or a host may be, in bytes: longer than any is.
const maxBound = 300

// bounds are those of _meta. Who asks for what can't be had gets an error, not less.
func (a *Asker) bounds(meta []byte) (*core.Bounds, error) {
	const where = "_meta.terrarium"
	d := decoder{object: oursOf(meta)}
	var b core.Bounds
	short := func(key string, v jsonrpc.Value) string {
		s, err := v.Text()
		if d.check(where+"."+key, err); len(s) > maxBound {
			d.fail(where+"."+key, "too_long")
		}
		return s
	}
	level, asks := d.optional("sandbox")
	if asks {
		if b.Sandbox = short("sandbox", level); b.Sandbox == "" {
			d.fail(where+".sandbox", "empty")
		}
	}
	list, asksNet := d.optional("net")
	if asksNet && list.Kind() != jsonrpc.Array {
		d.fail(where+".net", "type")
	} else if asksNet {
		for host := range list.Items() {
			if len(b.Net) == core.MaxBounds {
				d.fail(where+".net", "too_many")
				break
			}
			b.Net = append(b.Net, short("net", host))
		}
	}
	if (asks || len(b.Net) > 0) && !a.conn.config.Bounds {
		d.fail(where, "unsupported")
	}
	if d.err != nil || !asks && len(b.Net) == 0 {
		return nil, d.err
	}
	return &b, nil
}

// answered drops what answers no open question: to answer it in turn could go
// back and forth for ever.
func (a *Asker) answered(m *jsonrpc.Message, malformed bool) {
	q, ok := a.take(m.ID)
	if !ok {
		return
	}
	answer := Answer{ID: m.ID}
	switch {
	case malformed:
		answer.Err = &AnswerError{Reason: "malformed"}
	case m.Error != nil:
		answer.Err = &PeerError{Code: m.Error.Code, Message: clip(m.Error.Message)}
	default:
		answer.Outcome, answer.Err = decodeOutcome(m.Result, q.options)
		if param, ok := answer.Err.(*ParamError); ok {
			answer.Err = &AnswerError{Member: param.Param, Reason: param.Reason}
		}
	}
	a.answers = append(a.answers, answer)
}

func (a *Asker) gone() {
	a.ended = true
	for _, q := range a.open {
		a.answers = append(a.answers, Answer{ID: q.id, Err: ErrPeerGone})
	}
	a.open = nil
}
