package client

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// line takes a line of the agent. It is nil if it was too long.
func (k *client) line(line []byte) {
	if line == nil {
		k.agent.reply(jsonrpc.AppendError(nil, jsonrpc.ID{}, jsonrpc.NewError(jsonrpc.CodeParseError, "line_too_long")))
		k.warn("the agent has sent a line of more than %d MiB: it was refused", jsonrpc.DefaultMaxLine>>20)
		return
	}
	m, bad := jsonrpc.ParseMessage(line)
	switch {
	case bad != nil && m.Kind == jsonrpc.Response:
		k.answered(&m, line, bad)
	case bad != nil:
		k.agent.reply(jsonrpc.AppendError(nil, m.ID, bad))
		k.garbled(line)
	case m.Kind == jsonrpc.Response:
		k.answered(&m, line, nil)
	case m.Kind == jsonrpc.Request:
		k.request(&m, line)
	case m.Method == "session/update":
		k.updated(m.Params)
	case m.Method == acp.MethodCancelRequest:
		k.cancel(&m, line)
	}
}

// warn tells the person about the agent.
func (k *client) warn(format string, args ...any) {
	k.view.Show(Warned{k.fail(fmt.Sprintf(format, args...))})
}

// garbled takes a line that is no message. Some agents greet whoever starts them, so one is no
// failure. The person hears of it when initialize is answered: until then it may be why the agent
// fails, and belongs there.
func (k *client) garbled(line []byte) {
	k.mu.Lock()
	first := k.garbage == ""
	if first {
		k.garbage = clip(strings.ToValidUTF8(string(line), "\uFFFD"), 60)
	}
	initialized := k.initialized
	if !initialized {
		if k.greeted++; k.greeted == maxGarbled {
			close(k.tooMuch)
		}
	}
	k.mu.Unlock()
	if first && initialized {
		k.warnOfGarbage()
	}
}

func (k *client) warnOfGarbage() {
	k.warn("the agent has printed what is no message: %q: %s", k.garbage, modeHint)
}

// answered hands an answer to who waits for it. bad says that it is none.
func (k *client) answered(m *jsonrpc.Message, line []byte, bad *jsonrpc.Error) {
	c := k.calls.take(m.ID)
	if c == nil {
		return // nobody waits for it any more, or ever did
	}
	a := answer{}
	switch {
	case bad != nil:
		a.err = k.fail("the agent answers " + c.method + " with what is no answer: " + clip(strings.ToValidUTF8(string(line), "\uFFFD"), maxNameShow))
	case m.Error != nil:
		failed := *m.Error
		failed.Data = bytes.Clone(failed.Data)
		a.err = &rpcError{c.method, &failed}
	default:
		a.result, _ = jsonrpc.Parse(bytes.Clone(m.Result.Raw())) // it was parsed before
		switch c.method {
		case acp.MethodInitialize:
			k.agreed(a.result)
		case "session/new":
			k.opened(a.result)
		}
	}
	c.answer <- a
}

// request answers a request of the agent, or hands it to who does.
func (k *client) request(m *jsonrpc.Message, line []byte) {
	ours := !k.speaksDraft() // version 2 has neither terminals nor files of ours
	switch {
	case m.Method == acp.MethodRequestPermission:
		k.question(m)
	case ours && strings.HasPrefix(m.Method, "terminal/"):
		k.served.request(m, line)
	case ours && (m.Method == "fs/read_text_file" || m.Method == "fs/write_text_file"):
		k.agent.reply(k.file(m))
	default:
		k.agent.reply(jsonrpc.AppendError(nil, m.ID, jsonrpc.NewError(jsonrpc.CodeMethodNotFound, "unknown_method").With("method", clip(m.Method, maxNameShow))))
	}
}

// isOurs reports whether params are of our session.
func (k *client) isOurs(params jsonrpc.Value) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.session != "" && textOf(params, "sessionId") == k.session
}

func unknownSession(id jsonrpc.ID) []byte {
	return jsonrpc.AppendError(nil, id, jsonrpc.NewError(jsonrpc.CodeInvalidParams, "unknown_session").With("param", "sessionId"))
}

// cancel gives up what the agent has asked for.
func (k *client) cancel(m *jsonrpc.Message, line []byte) {
	var n acp.CancelRequestNotification
	if n.DecodeJSON(m.Params) == nil && !k.questions.cancel(n.RequestID) {
		k.served.hand(line)
	}
}
