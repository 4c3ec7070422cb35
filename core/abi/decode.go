package abi

import (
	"strings"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// An Error says which member of an argument is wrong and why.
type Error struct {
	// Param is the path of the member, such as "acp.command.rows"; "" is the
	// argument itself.
	Param string
	// Reason is a stable word: "type", "range", "value", "missing", "unknown"
	// or "lone_surrogate".
	Reason string
}

// Error returns "acp.command.rows: range", or "the argument: type".
func (e *Error) Error() string {
	if e.Param == "" {
		return "the argument: " + e.Reason
	}
	return e.Param + ": " + e.Reason
}

// A Member is one that an object may have. If it is absent or null, what it
// would go into stays as it is.
type Member struct {
	name string
	// *string, *bool, *int, *int64, *[]string, or what reads it: func(jsonrpc.Value)
	into      any
	low, high int64 // of an integer
}

// Of returns a member that goes into what into points to, or that into reads.
func Of[T *string | *bool | *[]string | func(v jsonrpc.Value)](name string, into T) Member {
	return Member{name: name, into: into}
}

// Int returns a member that is an integer from low to high.
func Int[T *int | *int64](name string, into T, low, high int64) Member {
	return Member{name, into, low, high}
}

// A Decoder reads a JSON argument. It keeps the first thing that is wrong, an
// *Error. Members that it is not told of are wrong: a limit that is misspelt must
// not become no limit.
type Decoder struct {
	path []string // of the member being read
	err  error
}

// Decode reads the JSON text p with read, which has the decoder d. Its error is a
// *jsonrpc.SyntaxError or an *Error.
func (d *Decoder) Decode(p []byte, read func(v jsonrpc.Value)) error {
	v, err := jsonrpc.Parse(p)
	if err != nil {
		return err
	}
	read(v)
	return d.err
}

// Err returns the first thing that is wrong, or nil.
func (d *Decoder) Err() error { return d.err }

// fail notes what is wrong with the member being read.
func (d *Decoder) fail(reason string) {
	if d.err == nil {
		d.err = &Error{Param: strings.Join(d.path, "."), Reason: reason}
	}
}

// Wrong notes what is wrong with a member of the object that was read.
func (d *Decoder) Wrong(name, reason string) {
	d.path = append(d.path, name)
	d.fail(reason)
	d.path = d.path[:len(d.path)-1]
}

// Object reads v into members.
func (d *Decoder) Object(v jsonrpc.Value, members ...Member) {
	if v.Kind() != jsonrpc.Object {
		d.fail("type")
	}
	for key, v := range v.Members() {
		d.path = append(d.path, "")
		d.member(key, v, members)
		d.path = d.path[:len(d.path)-1]
	}
}

func (d *Decoder) member(key, v jsonrpc.Value, members []Member) {
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

func (d *Decoder) value(v jsonrpc.Value, m *Member) {
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
		d.List(v, func(v jsonrpc.Value) { *into = append(*into, d.text(v)) })
	case func(jsonrpc.Value):
		into(v)
	}
}

func (d *Decoder) text(v jsonrpc.Value) string {
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

func (d *Decoder) bool(v jsonrpc.Value) bool {
	b, err := v.Bool()
	if err != nil {
		d.fail("type")
	}
	return b
}

// int reads an integer from low to high.
func (d *Decoder) int(v jsonrpc.Value, low, high int64) int64 {
	n, err := v.Int64()
	switch {
	case err == jsonrpc.ErrType, err == jsonrpc.ErrFraction:
		d.fail("type")
	case err != nil, n < low, n > high:
		d.fail("range")
	}
	return n
}

// List calls item for each item of v.
func (d *Decoder) List(v jsonrpc.Value, item func(v jsonrpc.Value)) {
	if v.Kind() != jsonrpc.Array {
		d.fail("type")
	}
	for v := range v.Items() {
		item(v)
	}
}

// Env reads environment variables to the end of env.
func (d *Decoder) Env(v jsonrpc.Value, env *[]core.EnvVariable) {
	d.List(v, func(v jsonrpc.Value) {
		var e core.EnvVariable
		d.Object(v, Of("name", &e.Name), Of("value", &e.Value))
		*env = append(*env, e)
	})
}
