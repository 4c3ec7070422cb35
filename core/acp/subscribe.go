package acp

import (
	"strconv"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// Extension methods of a connection with a [Feed]. The first two are requests, whose result is an
// empty object, the others are notifications to the peer. doc.go has their params.
const (
	MethodSubscribe   = "_terrarium/subscribe"   // tell what a terminal, or all of a session, does
	MethodUnsubscribe = "_terrarium/unsubscribe" // tell it no longer

	MethodNewOutput = "_terrarium/output" // TopicBytes: the command has written this
	MethodScreen    = "_terrarium/screen" // TopicScreen: these lines are other ones now
	MethodStatus    = "_terrarium/status" // TopicStatus: it runs, or has ended
)

// Topics is a set of what can be told of a terminal.
type Topics uint8

const (
	// TopicBytes is what the command writes, as it is.
	TopicBytes Topics = 1 << iota
	// TopicScreen is what a person would see.
	TopicScreen
	// TopicStatus is whether it runs, and how it ended.
	TopicStatus
)

// topicNames are the names of the topics, the lowest bit first.
var topicNames = [...]string{"bytes", "screen", "status"}

// maxName is how long the id of a session may be that somebody subscribes to, in bytes: it is kept.
const maxName = 1 << 10

// SubscribeRequest is the params of _terrarium/subscribe, and without What those of
// _terrarium/unsubscribe.
type SubscribeRequest struct {
	SessionID  string
	TerminalID *string // nil is every terminal of the session, also those to come
	What       Topics
	Meta       []byte
}

// DecodeJSON reads r from v.
func (r *SubscribeRequest) DecodeJSON(v jsonrpc.Value) error {
	d := r.decode(v)
	what, ok := d.required("what")
	switch {
	case !ok:
	case what.Kind() != jsonrpc.Array:
		d.fail("what", "type")
	default:
		for item := range what.Items() {
			topic, err := parseTopic(item)
			if d.check("what", err); topic == 0 {
				d.fail("what", "unknown_topic")
				break
			}
			r.What |= topic
		}
		if r.What == 0 {
			d.fail("what", "empty")
		}
	}
	return d.err
}

// decode reads all but What.
func (r *SubscribeRequest) decode(v jsonrpc.Value) *decoder {
	d := decode(v)
	*r = SubscribeRequest{SessionID: d.text("sessionId"), TerminalID: d.optionalText("terminalId"), Meta: d.meta()}
	if len(r.SessionID) > maxName {
		d.fail("sessionId", "too_long")
	}
	return d
}

// parseTopic returns 0 for what is none.
func parseTopic(v jsonrpc.Value) (Topics, error) {
	name, err := v.Text()
	for i, known := range topicNames {
		if name == known {
			return 1 << i, nil
		}
	}
	return 0, err
}

// AppendJSON appends r as JSON, What only if there is something in it.
func (r *SubscribeRequest) AppendJSON(dst []byte) []byte {
	dst = appendText(append(dst, '{'), "sessionId", r.SessionID)
	dst = appendOptionalText(dst, "terminalId", r.TerminalID)
	if r.What != 0 {
		dst = appendTopics(dst, "what", r.What)
	}
	return appendEnd(dst, r.Meta)
}

func appendTopics(dst []byte, key string, t Topics) []byte {
	var names []string
	for i, name := range topicNames {
		if t>>i&1 != 0 {
			names = append(names, name)
		}
	}
	return appendTexts(dst, key, names)
}

// feedMeta is the _meta of initialize's answer.
func feedMeta() []byte {
	return ourMeta(func(dst []byte) []byte {
		return appendTopics(dst, "subscribe", TopicBytes|TopicScreen|TopicStatus)
	})
}

// appendNews begins a notification about a terminal.
func appendNews(dst []byte, method string, s core.SessionID, t core.TerminalID) []byte {
	dst = append(jsonrpc.AppendNotificationHead(dst, method), '{')
	dst = appendText(dst, "sessionId", string(s))
	return appendText(dst, "terminalId", string(t))
}

// appendNewOutput appends the rest of _terrarium/output: data, which begins at an offset after so
// many bytes that are lost.
func appendNewOutput(dst []byte, offset, lost uint64, data []byte) []byte {
	dst = strconv.AppendUint(jsonrpc.AppendKey(dst, "offset"), offset, 10)
	if lost > 0 {
		dst = strconv.AppendUint(jsonrpc.AppendKey(dst, "lost"), lost, 10)
	}
	dst = append(jsonrpc.AppendKey(dst, "data"), '"')
	return append(appendBase64(dst, data), '"', '}')
}

// appendState appends the rest of _terrarium/status, of a terminal that is not known any more if
// not known. introduce says that the peer hears of it for the first time.
func appendState(dst []byte, s *core.Status, known, introduce bool) []byte {
	state := "running"
	switch {
	case !known:
		state = "gone"
	case s.Released:
		state = "released"
	case s.State == core.StateExited:
		state = "exited"
	}
	dst = appendText(dst, "state", state)
	if !known {
		return append(dst, '}')
	}
	if s.State == core.StateExited {
		status := exitStatus(s.Exit)
		dst = status.AppendJSON(jsonrpc.AppendKey(dst, "exitStatus"))
	}
	dst = strconv.AppendInt(jsonrpc.AppendKey(dst, "rows"), int64(s.Rows), 10)
	dst = strconv.AppendInt(jsonrpc.AppendKey(dst, "cols"), int64(s.Cols), 10)
	if introduce {
		dst = appendExec(dst, &s.Exec)
	}
	return append(dst, '}')
}
