package proxy

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// A splice is bytes that come into a line, in the place of those from start to end.
type splice struct {
	start, end int
	text       []byte
}

// apply returns a copy of line with splices that don't overlap.
func apply(line []byte, splices []splice) []byte {
	slices.SortStableFunc(splices, func(a, b splice) int { return cmp.Compare(a.start, b.start) })
	var out []byte
	at := 0
	for _, s := range splices {
		out = append(append(out, line[at:s.start]...), s.text...)
		at = s.end
	}
	return append(out, line[at:]...)
}

// replace returns the splice that puts text in the place of v, which is a piece of line.
func replace(line []byte, v jsonrpc.Value, text []byte) splice {
	return replaceAfter(line, 0, v, text)
}

// replaceAfter is replace for a v that does not begin before at. Who replaces many pieces, from the
// first to the last, and says where the one before has ended, has the line searched once.
func replaceAfter(line []byte, at int, v jsonrpc.Value, text []byte) splice {
	start := at + offset(line[at:], v)
	return splice{start, start + len(v.Raw()), text}
}

// set returns the splice that makes text the member key of object, which is a piece of line.
func set(line []byte, object jsonrpc.Value, key string, text []byte) splice {
	if old, ok := object.Get(key); ok {
		return replace(line, old, text)
	}
	start := offset(line, object) + len("{")
	member := append(append(jsonrpc.AppendString(nil, key), ':'), text...)
	for range object.Members() { // there is one
		member = append(member, ',')
		break
	}
	return splice{start, start, member}
}

// add returns the splice that adds items, which stand behind commas, to the list at path below
// object. What is no list there, or leads to none, is replaced.
func add(line []byte, object jsonrpc.Value, path []string, items []byte) splice {
	member, _ := object.Get(path[0])
	switch {
	case len(path) > 1 && member.Kind() == jsonrpc.Object:
		return add(line, member, path[1:], items)
	case len(path) == 1 && member.Kind() == jsonrpc.Array:
		end := offset(line, member) + len(member.Raw()) - len("]")
		for range member.Items() { // there is one
			items = append([]byte{','}, items...)
			break
		}
		return splice{end, end, items}
	}
	text := append(append([]byte{'['}, items...), ']')
	for i := len(path) - 1; i > 0; i-- {
		text = append(append(append(jsonrpc.AppendString([]byte{'{'}, path[i]), ':'), text...), '}')
	}
	return set(line, object, path[0], text)
}

// before returns the splice that puts an item before those of list, which is a piece of line.
func before(line []byte, list jsonrpc.Value, item []byte) splice {
	start := offset(line, list) + len("[")
	for range list.Items() { // there is one
		item = append(item, ',')
		break
	}
	return splice{start, start, item}
}

// offset returns where v, which is a piece of line, begins in it.
func offset(line []byte, v jsonrpc.Value) int {
	raw := v.Raw()
	for i := 0; ; i++ {
		i += bytes.Index(line[i:], raw)
		if &line[i] == &raw[0] { // and not an equal piece before it
			return i
		}
	}
}
