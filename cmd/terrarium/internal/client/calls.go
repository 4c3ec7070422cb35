package client

import (
	"sync"

	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

const (
	maxID   = 1 << 10  // bytes of an id of the agent's that is kept
	maxText = 64 << 10 // bytes of a text of the agent's that is kept
)

// calls are requests of ours that wait for an answer.
type calls struct {
	mu   sync.Mutex
	last int64
	open map[jsonrpc.ID]*call
}

// A call is one of them.
type call struct {
	method string
	answer chan answer // with room for it
}

// An answer is what came for a call.
type answer struct {
	result jsonrpc.Value
	err    error // a *rpcError, or an *AgentError: it was no answer
}

func newCall(method string) *call { return &call{method, make(chan answer, 1)} }

// call sends the agent a request. appendParams appends its params.
func (k *client) call(method string, appendParams func(dst []byte) []byte) *call {
	c := newCall(method)
	k.calls.mu.Lock()
	if k.calls.open == nil {
		k.calls.open = make(map[jsonrpc.ID]*call)
	}
	k.calls.last++
	id := jsonrpc.IntID(k.calls.last)
	k.calls.open[id] = c
	k.calls.mu.Unlock()
	k.agent.send(jsonrpc.AppendTail(appendParams(jsonrpc.AppendRequestHead(nil, id, method))))
	return c
}

// take returns the call that an answer is for, or nil.
func (c *calls) take(id jsonrpc.ID) *call {
	c.mu.Lock()
	defer c.mu.Unlock()
	made := c.open[id]
	delete(c.open, id)
	return made
}

// textOf returns the member key of v if it is a string, or "".
func textOf(v jsonrpc.Value, key string) string {
	member, _ := v.Get(key)
	if member.Kind() != jsonrpc.String {
		return ""
	}
	s, _ := member.Text() // of half a surrogate pair enough is left to read
	return s
}

// textsOf returns the strings of the array key of v.
func textsOf(v jsonrpc.Value, key string) (list []string) {
	member, _ := v.Get(key)
	for item := range member.Items() {
		if s, err := item.Text(); err == nil {
			list = append(list, s)
		}
	}
	return list
}
