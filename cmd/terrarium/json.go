package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// newEncoder returns an encoder of JSON that does nothing to a terminal it is
// shown on: what can't be seen from DEL on, which encoding/json leaves alone, is
// escaped too, such as control characters and those that reorder a line.
func newEncoder(w io.Writer) *json.Encoder {
	e := json.NewEncoder(controlEscaper{w})
	e.SetEscapeHTML(false)
	return e
}

type controlEscaper struct{ w io.Writer }

func (e controlEscaper) Write(p []byte) (int, error) {
	hidden := func(r rune) bool { return r >= 0x7f && !unicode.IsPrint(r) }
	var b bytes.Buffer
	for rest := p; len(rest) > 0; {
		i := bytes.IndexFunc(rest, hidden)
		if i < 0 {
			b.Write(rest)
			break
		}
		r, size := utf8.DecodeRune(rest[i:])
		b.Write(rest[:i])
		for _, unit := range utf16.AppendRune(nil, r) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
		rest = rest[i+size:]
	}
	if _, err := e.w.Write(b.Bytes()); err != nil {
		return 0, err
	}
	return len(p), nil
}
