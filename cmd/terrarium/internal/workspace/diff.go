package workspace

import (
	"bytes"
	"io"
	"os"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/diff"
)

// MaxDiffed is how long a file may be whose lines are compared, in bytes.
const MaxDiffed = 1 << 20

// Diff returns what the change with that index does to the lines of a file, as diff -u has it. A
// file that is no text, or is too long, is binary; then there is no diff.
func (in *Incoming) Diff(i int) (text string, binary bool) {
	c := in.changes[i]
	was, okWas := in.text(c.Was, func() (*os.File, error) { return openFile(in.root, c.Path) })
	now, okNow := in.text(c.Now, func() (*os.File, error) { return in.Open(i) })
	if !okWas || !okNow {
		return "", true
	}
	return string(diff.Diff("a/"+c.Path, was, "b/"+c.Path, now)), false
}

// text returns what is in a file, if it is text. Where no file is there is an empty one.
func (in *Incoming) text(e Entry, open func() (*os.File, error)) (text []byte, ok bool) {
	switch {
	case !e.IsFile():
		return nil, true
	case e.Size > MaxDiffed:
		return nil, false
	}
	f, err := open()
	if err != nil {
		return nil, false
	}
	defer f.Close()
	text, err = io.ReadAll(io.LimitReader(f, MaxDiffed))
	return text, err == nil && utf8.Valid(text) && bytes.IndexByte(text, 0) < 0
}
