package mcp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	wire "github.com/terrarium-dev/terrarium/core/jsonrpc"
)

const (
	// maxMessage is how long a line of a client may be, in bytes. A command line is 128 KiB.
	maxMessage = 4 << 20
	// maxCalls is how many calls are answered at a time. The next is read when one was.
	maxCalls = 256
	// lastTime is how long the calls that are open when input ends may take to be answered.
	lastTime = 10 * time.Second
)

// ServeStdio serves one client, which sends a message on each line of r, until r ends or ctx does.
// All terminals end with it, and the Server. It returns nil at the end of r, ctx.Err(), or the
// error of r or w. A Read and a Write that do not return are left behind.
func (s *Server) ServeStdio(ctx context.Context, r io.Reader, w io.Writer) error {
	l := &lines{
		r: r, w: w, messages: make(chan jsonrpc.Message), closed: make(chan struct{}),
		calls: make(chan struct{}, maxCalls), open: make(map[wire.ID]bool),
		atEnd: func() {
			s.end()
			s.driver.CloseAll() // so that calls which wait for commands return
		},
	}
	client, err := s.mcp.Connect(context.WithoutCancel(ctx), l, nil)
	if err != nil {
		return err
	}
	defer l.Close()
	ended := make(chan error, 1)
	go func() { ended <- client.Wait() }() // ends with the connection, or is left behind
	select {
	case err = <-ended:
	case <-ctx.Done():
		err = ctx.Err()
	}
	s.Close()
	return err
}

// lines is a client's connection: a message is a line. The SDK has one, too, which ends at the
// first line that it can't read, and answers any number of calls at a time.
type lines struct {
	r        io.Reader
	messages chan jsonrpc.Message // what was read
	readErr  error                // why there are no more, once messages is closed
	atEnd    func()               // called when there are no more

	calls chan struct{} // has an element for each call that is not answered

	mu   sync.Mutex
	open map[wire.ID]bool // the ids of calls that are not answered; mu guards it

	writing sync.Mutex
	w       io.Writer

	once   sync.Once
	closed chan struct{} // by Close
}

var (
	_ sdk.Transport  = (*lines)(nil)
	_ sdk.Connection = (*lines)(nil)
)

// Connect implements sdk.Transport.
func (l *lines) Connect(context.Context) (sdk.Connection, error) {
	go l.run() // ends with r, or after Close with the next line
	return l, nil
}

// run reads r.
func (l *lines) run() {
	defer close(l.messages)
	split := wire.Lines{Max: maxMessage}
	buf := make([]byte, 64<<10)
	for {
		n, err := l.r.Read(buf)
		for line, bad := range split.Split(buf[:n]) {
			if !l.take(line, bad) {
				return
			}
		}
		if err == nil {
			continue
		}
		if last := split.Flush(); last != nil && !l.take(last, nil) {
			return
		}
		if err != io.EOF {
			l.readErr = err
		}
		return
	}
}

// take hands on the message that a line holds, or answers what is wrong with it. It returns false
// after Close.
func (l *lines) take(line []byte, bad error) bool {
	if bad != nil {
		return l.refuse(wire.ID{}, wire.NewError(wire.CodeInvalidRequest, "too_long"))
	}
	m, wrong := wire.ParseMessage(line)
	switch {
	case m.Kind == wire.Response && m.ID.IsNull():
		return true // nobody answers an answer
	case m.Kind == wire.Response && wrong != nil:
		// What it answers has failed, and waits no longer.
		line = bytes.TrimSpace(wire.AppendError(nil, m.ID, wrong))
	case wrong != nil:
		return l.refuse(m.ID, wrong)
	case m.Kind == wire.Request && m.ID.IsNull():
		return l.refuse(m.ID, wire.NewError(wire.CodeInvalidRequest, "id")) // MCP has no such id
	}
	message, err := jsonrpc.DecodeMessage(bytes.Clone(line)) // the line is lent
	if err != nil {
		return l.refuse(m.ID, wire.NewError(wire.CodeInvalidRequest, "message"))
	}
	if request, ok := message.(*jsonrpc.Request); ok && m.Kind == wire.Request {
		if idOf(request.ID) != m.ID {
			// The answer would have another id.
			return l.refuse(m.ID, wire.NewError(wire.CodeInvalidRequest, "id"))
		}
		select {
		case l.calls <- struct{}{}:
		case <-l.closed:
			return false
		}
		if !l.begin(m.ID) {
			<-l.calls
			return l.refuse(m.ID, wire.NewError(wire.CodeInvalidRequest, "id_in_use"))
		}
	}
	select {
	case l.messages <- message:
		return true
	case <-l.closed:
		return false
	}
}

// begin notes a call. It reports false if one with the same id has no answer yet: the SDK drops
// such a call without a word, so that its place would never be free again.
func (l *lines) begin(id wire.ID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[id] {
		return false
	}
	l.open[id] = true
	return true
}

// end forgets a call, whose id may come again as soon as the client has the answer.
func (l *lines) end(id wire.ID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.open, id)
}

// idOf is an id as the SDK will write it. It keeps numbers as float64 or int64, and no half of a
// surrogate pair, so it may be another one than was sent.
func idOf(id jsonrpc.ID) wire.ID {
	switch v := id.Raw().(type) {
	case int64:
		return wire.IntID(v)
	case string:
		return wire.StringID(v)
	}
	return wire.ID{}
}

// refuse answers a line that holds no message. Where its id is not known there is none: MCP forbids
// null, which JSON-RPC has there.
func (l *lines) refuse(id wire.ID, wrong *wire.Error) bool {
	line := wire.AppendError(nil, id, wrong)
	if id.IsNull() {
		line = bytes.Replace(line, []byte(`"id":null,`), nil, 1)
	}
	return l.send(line) == nil
}

// Read implements sdk.Connection. At the end of input it first waits for the answers to the calls
// that are open: the SDK sends none after that.
func (l *lines) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m, ok := <-l.messages:
		if ok {
			return m, nil
		}
	case <-l.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	l.atEnd()
	late := time.NewTimer(lastTime)
	defer late.Stop()
	for range maxCalls { // no more come, so whoever has all places knows that all are answered
		select {
		case l.calls <- struct{}{}:
		case <-l.closed:
			return nil, io.EOF
		case <-late.C:
			return nil, errors.Join(io.EOF, l.readErr)
		}
	}
	if l.readErr != nil {
		return nil, l.readErr
	}
	return nil, io.EOF
}

// Write implements sdk.Connection.
func (l *lines) Write(_ context.Context, message jsonrpc.Message) error {
	response, answers := message.(*jsonrpc.Response)
	line, err := jsonrpc.EncodeMessage(message)
	if err != nil && answers { // it must be answered, and the connection lives
		line, err = jsonrpc.EncodeMessage(&jsonrpc.Response{
			ID: response.ID, Error: &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the answer can't be written as JSON"},
		})
	}
	if answers {
		l.end(idOf(response.ID))
	}
	if err == nil {
		err = l.send(append(line, '\n'))
	}
	if answers {
		select {
		case <-l.calls:
		default: // an answer to no call would be the SDK's mistake
		}
	}
	return err
}

// send writes one line.
func (l *lines) send(line []byte) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	_, err := l.w.Write(line)
	return err
}

// Close implements sdk.Connection.
func (l *lines) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// SessionID implements sdk.Connection.
func (l *lines) SessionID() string { return "" }
