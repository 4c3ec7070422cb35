package abi

import (
	"strconv"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// An Encoder writes JSON to the end of JSON. Its methods that have a key append a
// member to the object that JSON ends in.
type Encoder struct {
	JSON []byte
}

// Begin begins an object.
func (e *Encoder) Begin() { e.JSON = append(e.JSON, '{') }

// End ends the object.
func (e *Encoder) End() { e.JSON = append(e.JSON, '}') }

// Key begins a member whose value comes next.
func (e *Encoder) Key(key string) { e.JSON = jsonrpc.AppendKey(e.JSON, key) }

// Text appends a string.
func (e *Encoder) Text(key, value string) {
	e.Key(key)
	e.JSON = jsonrpc.AppendString(e.JSON, value)
}

// Optional is Text, but null for the empty string.
func (e *Encoder) Optional(key, value string) {
	if value == "" {
		e.Null(key)
		return
	}
	e.Text(key, value)
}

// Null appends a member that has no value.
func (e *Encoder) Null(key string) {
	e.Key(key)
	e.JSON = append(e.JSON, "null"...)
}

// Bool appends true or false.
func (e *Encoder) Bool(key string, value bool) {
	e.Key(key)
	e.JSON = strconv.AppendBool(e.JSON, value)
}

// Int appends an integer.
func (e *Encoder) Int(key string, value int64) {
	e.Key(key)
	e.JSON = strconv.AppendInt(e.JSON, value, 10)
}

// Texts appends a list of strings.
func (e *Encoder) Texts(key string, values []string) {
	e.list(key, len(values), func(i int) { e.JSON = jsonrpc.AppendString(e.JSON, values[i]) })
}

// list appends a list of n items, each of which item writes.
func (e *Encoder) list(key string, n int, item func(i int)) {
	e.Key(key)
	e.JSON = append(e.JSON, '[')
	for i := range n {
		e.JSON = jsonrpc.AppendComma(e.JSON)
		item(i)
	}
	e.JSON = append(e.JSON, ']')
}

// Env appends environment variables.
func (e *Encoder) Env(key string, env []core.EnvVariable) {
	e.list(key, len(env), func(i int) {
		e.Begin()
		e.Text("name", env[i].Name)
		e.Text("value", env[i].Value)
		e.End()
	})
}
