package acp

import (
	"errors"
	"slices"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// A ParamError says which parameter of a request is wrong and why.
type ParamError struct {
	// Param is the parameter's name in the schema; "" is params itself.
	Param string
	// Reason is a stable word: "missing", "type", "range", "lone_surrogate".
	Reason string
}

func (e *ParamError) Error() string {
	if e.Param == "" {
		return "acp: params: " + e.Reason
	}
	return "acp: " + e.Param + ": " + e.Reason
}

// decoder reads the members of an object and keeps the first error.
type decoder struct {
	object jsonrpc.Value
	err    error
}

func decode(v jsonrpc.Value) *decoder {
	d := &decoder{object: v}
	switch v.Kind() {
	case jsonrpc.Object:
	case jsonrpc.Absent:
		d.fail("", "missing")
	default:
		d.fail("", "type")
	}
	return d
}

func (d *decoder) fail(param, reason string) {
	if d.err == nil {
		d.err = &ParamError{Param: param, Reason: reason}
	}
}

// check keeps the error of a getter under the name of its parameter.
func (d *decoder) check(param string, err error) {
	switch {
	case err == nil:
	case errors.Is(err, jsonrpc.ErrLoneSurrogate):
		d.fail(param, "lone_surrogate")
	case errors.Is(err, jsonrpc.ErrRange):
		d.fail(param, "range")
	default:
		d.fail(param, "type")
	}
}

// checkItem keeps the error of an item of the array key, as that of
// "env.name".
func (d *decoder) checkItem(key string, err error) {
	var bad *ParamError
	if !errors.As(err, &bad) {
		return
	}
	if bad.Param != "" {
		key += "." + bad.Param
	}
	d.fail(key, bad.Reason)
}

// lax returns a decoder for members of the same object of which the schema
// says x-deserialize-default-on-error: what is malformed counts as absent.
func (d *decoder) lax() *decoder { return &decoder{object: d.object} }

// optional returns a member that is there and not null.
func (d *decoder) optional(key string) (jsonrpc.Value, bool) {
	v, ok := d.object.Get(key)
	return v, ok && !v.IsNull()
}

// required returns a member that must be there; null has the wrong type.
func (d *decoder) required(key string) (jsonrpc.Value, bool) {
	v, ok := d.object.Get(key)
	if !ok {
		d.fail(key, "missing")
	}
	return v, ok
}

// text reads a required string.
func (d *decoder) text(key string) string {
	v, ok := d.required(key)
	if !ok {
		return ""
	}
	s, err := v.Text()
	d.check(key, err)
	return s
}

// optionalText reads a string that may be null or absent.
func (d *decoder) optionalText(key string) *string {
	v, ok := d.optional(key)
	if !ok {
		return nil
	}
	s, err := v.Text()
	if err != nil {
		d.check(key, err)
		return nil
	}
	return &s
}

func (d *decoder) bool(key string) bool {
	v, ok := d.required(key)
	if !ok {
		return false
	}
	b, err := v.Bool()
	d.check(key, err)
	return b
}

// laxBool reads a boolean whose default is false.
func (d *decoder) laxBool(key string) bool { return d.lax().bool(key) }

// optionalUint reads an integer from 0 to limit that may be null or absent.
func (d *decoder) optionalUint(key string, limit uint64) *uint64 {
	v, ok := d.optional(key)
	if !ok {
		return nil
	}
	n, err := v.Uint64()
	switch {
	case err != nil:
		d.check(key, err)
		return nil
	case n > limit:
		d.fail(key, "range")
		return nil
	}
	return &n
}

// texts reads an array of strings that may be null or absent.
func (d *decoder) texts(key string) []string {
	v, ok := d.optional(key)
	if !ok {
		return nil
	}
	if v.Kind() != jsonrpc.Array {
		d.fail(key, "type")
		return nil
	}
	var list []string
	for item := range v.Items() {
		s, err := item.Text()
		d.check(key, err)
		list = append(list, s)
	}
	return list
}

// raw reads a member as it is; nil is absent. The schema has what is not of
// this kind pass as absent. The result is a copy: what is decoded does not
// alias the line.
func (d *decoder) raw(key string, kind jsonrpc.Kind) []byte {
	v, _ := d.object.Get(key)
	if v.Kind() != kind {
		return nil
	}
	return slices.Clone(v.Raw())
}

func (d *decoder) meta() []byte { return d.raw("_meta", jsonrpc.Object) }

// traceparent reads _meta.traceparent. What is no valid one counts as absent.
func (d *decoder) traceparent() core.Traceparent {
	meta, _ := d.object.Get("_meta")
	return traceparentOf(meta)
}

func traceparentOf(meta jsonrpc.Value) core.Traceparent {
	if meta.Kind() != jsonrpc.Object {
		return ""
	}
	v, _ := meta.Get("traceparent")
	s, _ := v.Text()
	return core.ParseTraceparent(s)
}

// Appending.

func appendText(dst []byte, key, value string) []byte {
	return jsonrpc.AppendString(jsonrpc.AppendKey(dst, key), value)
}

func appendOptionalText(dst []byte, key string, value *string) []byte {
	if value == nil {
		return dst
	}
	return appendText(dst, key, *value)
}

func appendTexts(dst []byte, key string, values []string) []byte {
	dst = append(jsonrpc.AppendKey(dst, key), '[')
	for _, value := range values {
		dst = jsonrpc.AppendString(jsonrpc.AppendComma(dst), value)
	}
	return append(dst, ']')
}

func appendRaw(dst []byte, key string, raw []byte) []byte {
	if raw == nil {
		return dst
	}
	return jsonrpc.AppendRaw(jsonrpc.AppendKey(dst, key), raw)
}

// appendEnd closes an object after its _meta.
func appendEnd(dst, meta []byte) []byte {
	return append(appendRaw(dst, "_meta", meta), '}')
}
