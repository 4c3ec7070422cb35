package main

import (
	"strconv"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// An encoder writes JSON to the end of p. Its methods that have a key append a
// member to the object that p ends in.
type encoder struct {
	p []byte
}

// begin and end enclose an object; what has a key of its own begins with key.
func (e *encoder) begin()         { e.p = append(e.p, '{') }
func (e *encoder) end()           { e.p = append(e.p, '}') }
func (e *encoder) key(key string) { e.p = jsonrpc.AppendKey(e.p, key) }

func (e *encoder) text(key, value string) {
	e.key(key)
	e.p = jsonrpc.AppendString(e.p, value)
}

// optional is text, but null for the empty string.
func (e *encoder) optional(key, value string) {
	if value == "" {
		e.null(key)
		return
	}
	e.text(key, value)
}

func (e *encoder) null(key string) {
	e.key(key)
	e.p = append(e.p, "null"...)
}

func (e *encoder) bool(key string, value bool) {
	e.key(key)
	e.p = strconv.AppendBool(e.p, value)
}

func (e *encoder) int(key string, value int64) {
	e.key(key)
	e.p = strconv.AppendInt(e.p, value, 10)
}

func (e *encoder) texts(key string, values []string) {
	e.key(key)
	e.p = append(e.p, '[')
	for _, s := range values {
		e.p = jsonrpc.AppendString(jsonrpc.AppendComma(e.p), s)
	}
	e.p = append(e.p, ']')
}

func (e *encoder) variables(key string, values []core.EnvVariable) {
	e.key(key)
	e.p = append(e.p, '[')
	for i := range values {
		e.p = jsonrpc.AppendComma(e.p)
		e.begin()
		e.text("name", values[i].Name)
		e.text("value", values[i].Value)
		e.end()
	}
	e.p = append(e.p, ']')
}
