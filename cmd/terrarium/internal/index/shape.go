package index

import (
	"bytes"
	"fmt"
	"reflect"

	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/plugin"
)

// keys are those of a plugin.
var keys = func() map[string]bool {
	all := make(map[string]bool)
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Entry]()) {
		if key := f.Tag.Get("toml"); key != "" {
			all[key] = true
		}
	}
	return all
}()

// checkShape refuses the first thing in data that no index has: a key that is
// unknown, a table inside a value, a plugin too many. The decoder would go on, and
// take time for the square of their number: minutes for a megabyte. What is no TOML
// is left to the decoder.
func checkShape(data []byte) *Error {
	plugins := 0
	p := unstable.Parser{}
	p.Reset(data)
	for p.NextExpression() {
		e := p.Expression()
		key := e.Key()
		if !key.Next() {
			continue
		}
		first := key.Node()
		name := string(first.Data)
		known := name == "plugin" || name == "format" && plugins == 0
		if e.Kind == unstable.KeyValue && plugins > 0 {
			known = keys[name]
		}
		var err error
		switch {
		case !known || key.Next():
			err = fmt.Errorf("unknown key %s", plugin.Printable(name))
		case e.Kind == unstable.KeyValue && !isFlat(e.Value()):
			err = fmt.Errorf("%s: want %s", name, wanted(name))
		case e.Kind == unstable.KeyValue:
		case plugins == maxEntries:
			return &Error{Err: fmt.Errorf("more than %d plugins", maxEntries)}
		default:
			plugins++
		}
		if err != nil {
			return &Error{Line: 1 + bytes.Count(data[:first.Raw.Offset], []byte("\n")), Err: err}
		}
	}
	return nil
}

// isFlat reports whether a value is a single one, or a list of such.
func isFlat(value *unstable.Node) bool {
	if value.Kind != unstable.Array {
		return value.Kind != unstable.InlineTable
	}
	for all := value.Children(); all.Next(); {
		if kind := all.Node().Kind; kind == unstable.Array || kind == unstable.InlineTable {
			return false
		}
	}
	return true
}
