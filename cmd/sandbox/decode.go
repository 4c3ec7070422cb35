package main

import (
	"strings"

	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// A memberError says which member of a JSON argument is wrong and why.
type memberError struct {
	// param is the path of the member, such as "acp.command.rows"; "" is the
	// argument itself.
	param string
	// reason is a stable word: "type", "range", "value", "missing", "unknown"
	// or "lone_surrogate".
	reason string
}

func (e *memberError) Error() string {
	if e.param == "" {
		return "sandbox: the argument: " + e.reason
	}
	return "sandbox: " + e.param + ": " + e.reason
}

// A member is one that an object may have. If it is absent or null, what it
// would go into stays as it is.
type member struct {
	name      string
	into      any   // *string, *bool, *int, *int64, *[]string, or what reads it: func(jsonrpc.Value)
	low, high int64 // of an integer
}

// A decoder reads a JSON argument. It keeps the first thing that is wrong.
// Members that it is not told of are wrong: a limit that is misspelt must not
// become no limit.
type decoder struct {
	path []string // of the member being read
	err  error
}

// decode reads the JSON text p with read, which has the decoder d.
func (d *decoder) decode(p []byte, read func(v jsonrpc.Value)) error {
	v, err := jsonrpc.Parse(p)
	if err != nil {
		return err
	}
	read(v)
	return d.err
}

// fail notes what is wrong with the member being read.
func (d *decoder) fail(reason string) {
	if d.err == nil {
		d.err = &memberError{param: strings.Join(d.path, "."), reason: reason}
	}
}

// wrong is fail for a member of the object that was read.
func (d *decoder) wrong(name, reason string) {
	d.path = append(d.path, name)
	d.fail(reason)
	d.path = d.path[:len(d.path)-1]
}

// object reads v into members.
func (d *decoder) object(v jsonrpc.Value, members ...member) {
	if v.Kind() != jsonrpc.Object {
		d.fail("type")
	}
	for key, v := range v.Members() {
		d.path = append(d.path, "")
		d.member(key, v, members)
		d.path = d.path[:len(d.path)-1]
	}
}

func (d *decoder) member(key, v jsonrpc.Value, members []member) {
	name := &d.path[len(d.path)-1]
	for i := range members {
		m := &members[i]
		if !key.Is(m.name) {
			continue
		}
		*name = m.name
		if !v.IsNull() {
			d.value(v, m)
		}
		return
	}
	*name, _ = key.Text()
	*name = (*name)[:min(len(*name), 100)]
	d.fail("unknown")
}

func (d *decoder) value(v jsonrpc.Value, m *member) {
	switch into := m.into.(type) {
	case *string:
		*into = d.text(v)
	case *bool:
		*into = d.bool(v)
	case *int:
		*into = int(d.int(v, m.low, m.high))
	case *int64:
		*into = d.int(v, m.low, m.high)
	case *[]string:
		d.list(v, func(v jsonrpc.Value) { *into = append(*into, d.text(v)) })
	case func(jsonrpc.Value):
		into(v)
	}
}

func (d *decoder) text(v jsonrpc.Value) string {
	s, err := v.Text()
	switch err {
	case nil:
	case jsonrpc.ErrLoneSurrogate:
		d.fail("lone_surrogate")
	default:
		d.fail("type")
	}
	return s
}

func (d *decoder) bool(v jsonrpc.Value) bool {
	b, err := v.Bool()
	if err != nil {
		d.fail("type")
	}
	return b
}

// int reads an integer from low to high.
func (d *decoder) int(v jsonrpc.Value, low, high int64) int64 {
	n, err := v.Int64()
	switch {
	case err == jsonrpc.ErrType, err == jsonrpc.ErrFraction:
		d.fail("type")
	case err != nil, n < low, n > high:
		d.fail("range")
	}
	return n
}

// list calls item for each item of v.
func (d *decoder) list(v jsonrpc.Value, item func(v jsonrpc.Value)) {
	if v.Kind() != jsonrpc.Array {
		d.fail("type")
	}
	for v := range v.Items() {
		item(v)
	}
}
