package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf8"
)

// newEncoder returns an encoder of JSON that does nothing to a terminal it is
// shown on: DEL and the control characters from U+0080, which encoding/json
// leaves alone, are escaped too.
func newEncoder(w io.Writer) *json.Encoder {
	e := json.NewEncoder(controlEscaper{w})
	e.SetEscapeHTML(false)
	return e
}

type controlEscaper struct{ w io.Writer }

func (e controlEscaper) Write(p []byte) (int, error) {
	isControl := func(r rune) bool { return 0x7f <= r && r < 0xa0 }
	var b bytes.Buffer
	for rest := p; len(rest) > 0; {
		i := bytes.IndexFunc(rest, isControl)
		if i < 0 {
			b.Write(rest)
			break
		}
		r, size := utf8.DecodeRune(rest[i:])
		b.Write(rest[:i])
		fmt.Fprintf(&b, `\u%04x`, r)
		rest = rest[i+size:]
	}
	if _, err := e.w.Write(b.Bytes()); err != nil {
		return 0, err
	}
	return len(p), nil
}
