package conform

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"sync"
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// maxQueue is how much may wait for a client that does not read, in bytes.
const maxQueue = 16 << 20

var (
	errGone    = errors.New("the client has ended the connection")
	errUnread  = errors.New("the client does not read what it is sent")
	errInvalid = errors.New("the answer is no valid JSON-RPC response")
)

// A peer is the client, as the other end of a stream of lines. Its methods are
// safe for concurrent use.
type peer struct {
	w    io.Writer
	more chan struct{} // holds a value when there is something to write

	mu      sync.Mutex // guards what follows
	queue   []byte
	broken  error // why nothing more is sent
	lastID  int64
	waiting map[jsonrpc.ID]chan<- answer
	late    map[jsonrpc.ID]bool // requests of ours that nobody waits for any more
	faults  faults
}

// An answer is what came for a request.
type answer struct {
	line    []byte // the whole message, ours
	result  jsonrpc.Value
	failure *jsonrpc.Error
	err     error // errGone or errInvalid: there is no answer
}

// A call is a request that has been sent.
type call struct {
	id     jsonrpc.ID
	method string
	answer <-chan answer
	err    error // why it could not be sent
}

func newPeer(w io.Writer) *peer {
	return &peer{
		w: w, more: make(chan struct{}, 1),
		waiting: make(map[jsonrpc.ID]chan<- answer), late: make(map[jsonrpc.ID]bool),
	}
}

// write sends what is queued, until done is closed, or a Write fails. It may be
// left behind in a Write that nobody takes.
func (p *peer) write(done <-chan struct{}) error {
	for {
		p.mu.Lock()
		lines := p.queue
		p.queue = nil
		p.mu.Unlock()
		if len(lines) > 0 {
			if _, err := p.w.Write(lines); err != nil {
				return err
			}
			continue
		}
		select {
		case <-p.more:
		case <-done:
			return nil
		}
	}
}

// stop lets every send fail from now on.
func (p *peer) stop(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.broken == nil {
		p.broken = err
	}
}

// send queues a line, which is not kept.
func (p *peer) send(line []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.broken != nil:
		return p.broken
	case len(p.queue)+len(line) > maxQueue:
		p.broken = errUnread
		return errUnread
	}
	p.queue = append(p.queue, line...)
	select {
	case p.more <- struct{}{}:
	default:
	}
	return nil
}

// call sends a request.
func (p *peer) call(method string, params []byte) *call {
	answered := make(chan answer, 1)
	p.mu.Lock()
	p.lastID++
	c := &call{id: jsonrpc.IntID(p.lastID), method: method, answer: answered}
	p.waiting[c.id] = answered
	p.mu.Unlock()
	if c.err = p.send(jsonrpc.AppendRequest(nil, c.id, method, params)); c.err != nil {
		p.forget(c)
	}
	return c
}

// forget says that nobody waits for the answer any more.
func (p *peer) forget(c *call) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.waiting, c.id)
	p.late[c.id] = true
}

func (p *peer) notify(method string, params []byte) error {
	return p.send(jsonrpc.AppendNotification(nil, method, params))
}

// read hands out answers and has handle take requests and notifications, until r
// ends. m is handle's to keep. Who waits for an answer does so until end.
func (p *peer) read(r io.Reader, handle func(m jsonrpc.Message)) {
	var lines jsonrpc.Lines
	buf := make([]byte, 64<<10)
	for {
		n, err := r.Read(buf)
		for line, long := range lines.Split(buf[:n]) {
			if long != nil {
				p.fault("a line of more than 32 MiB", nil)
				continue
			}
			p.take(bytes.Clone(line), handle)
		}
		if err != nil {
			if rest := lines.Flush(); rest != nil {
				p.fault("a line without an end", rest)
			}
			return
		}
	}
}

// take takes one line, which is ours.
func (p *peer) take(line []byte, handle func(m jsonrpc.Message)) {
	m, bad := jsonrpc.ParseMessage(line)
	switch {
	case bad != nil && m.Kind == jsonrpc.Response:
		p.fault("a response that is none", line)
		p.deliver(m.ID, answer{line: line, err: errInvalid})
	case bad != nil && !utf8.Valid(line):
		p.fault("a line that is not UTF-8", line)
	case bad != nil && bad.Code == jsonrpc.CodeParseError:
		p.fault("a line that is not JSON", line)
	case bad != nil:
		p.fault("a line that is no JSON-RPC message", line)
	case m.Kind == jsonrpc.Response:
		if !p.deliver(m.ID, answer{line: line, result: m.Result, failure: m.Error}) {
			p.stray(m.ID, line)
		}
	default:
		handle(m)
	}
}

// deliver hands a to the one who waits for it. It reports whether there is one.
func (p *peer) deliver(id jsonrpc.ID, a answer) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults.measure(a.line)
	waiting, ok := p.waiting[id]
	if ok {
		delete(p.waiting, id)
		waiting <- a // it has room
	}
	return ok
}

// stray notes an answer that nobody waits for. One that comes too late is no fault.
func (p *peer) stray(id jsonrpc.ID, line []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n, err := strconv.ParseInt(id.String(), 10, 64)
	switch {
	case p.late[id]:
		delete(p.late, id)
	case err == nil && 0 < n && n <= p.lastID:
		p.faults.add("a second answer to a request", line)
	default:
		p.faults.add("an answer to nothing that was asked", line)
	}
}

// end lets all who wait go.
func (p *peer) end() {
	p.stop(errGone)
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, waiting := range p.waiting {
		delete(p.waiting, id)
		waiting <- answer{err: errGone}
	}
}

func (p *peer) fault(what string, line []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults.add(what, line)
}

// soFar returns what was wrong with lines until now.
func (p *peer) soFar() faults {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.faults.clone()
}
