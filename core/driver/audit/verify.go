package audit

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"
)

// A Summary is what a record that was read holds.
type Summary struct {
	// Lines counts the events, and Torn the pieces of a line that were not written whole.
	Lines, Torn int64
	// First and Last are the Seq of the first event and of the last.
	First, Last uint64
	// After is the Hash that the record goes on after, if it begins with Rotate.
	After string
	// Head is the Hash of the last line, empty if there is none.
	Head string
}

// ErrNoHead: the line that was asked for is not there.
var ErrNoHead = errors.New("audit: no line has that head: lines at the end were cut off, or all was rewritten")

// A BadLine is the first line of a record that is not as it was written.
type BadLine struct {
	Name string // of the file
	Line int64  // the first is 1
	Why  string
}

func (e *BadLine) Error() string { return fmt.Sprintf("%s:%d: %s", e.Name, e.Line, e.Why) }

// A Verifier reads the files of a record, the oldest first. It holds a line of them at a time.
type Verifier struct {
	// Head, if set, is the Hash of a line that must be there: of one that was the last when
	// somebody noted it down.
	Head string

	found   bool
	summary Summary
	name    string
	line    int64
	torn    *piece // what was not written whole, and no Recover has told of yet
}

// A piece is what comes after a whole line and is none.
type piece struct {
	at    BadLine
	bytes int64
	sum   hash.Hash
	open  bool // it has no line break at its end
	// begin is how the next line begins. Attempts to write it do so, too, of which there may be
	// several; and other says that something else is among them: a line that was changed, one whose
	// line break was, or more than any line has.
	begin string
	other bool
}

// Verify reads a file to its end. The error is a *BadLine, or r's.
func (v *Verifier) Verify(name string, r io.Reader) error {
	if v.torn != nil {
		return &v.torn.at
	}
	v.name, v.line = name, 0
	b := bufio.NewReaderSize(r, maxLine)
	for {
		p, err := b.ReadSlice('\n')
		whole := err == nil
		if errors.Is(err, bufio.ErrBufferFull) || err == io.EOF {
			err = nil
		}
		switch {
		case err != nil:
			return err
		case len(p) == 0:
			return nil
		}
		if err := v.take(p, whole); err != nil {
			return err
		}
	}
}

// take takes a line. One that is longer than any of ours comes in parts.
func (v *Verifier) take(p []byte, whole bool) error {
	if v.torn == nil || !v.torn.open {
		v.line++
	}
	wrong := "it was not written whole"
	var l parsed
	if whole && (v.torn == nil || !v.torn.open) {
		l, wrong = parse(p[:len(p)-1])
	}
	if wrong != "" {
		v.addTorn(p, whole, wrong)
		return nil
	}
	bad := func(why string) error { return &BadLine{v.name, v.line, why} }
	switch {
	case v.torn != nil && !v.torn.is(l):
		return &v.torn.at
	case v.torn == nil && l.Torn != (torn{}):
		return bad("it tells of a line that was not written whole, and there is none before it")
	case v.line > 1 || v.summary.Lines > 0:
		if err := v.follows(l); err != "" {
			return bad(err)
		}
	case l.Event != Rotate && (l.prev != noHash || l.Seq != 1):
		return bad("the lines before it are missing")
	}
	if v.summary.Lines == 0 {
		v.summary.First = l.Seq
		if l.prev != noHash {
			v.summary.After = l.prev
			v.found = v.found || l.prev == v.Head
		}
	}
	if v.torn != nil {
		v.summary.Torn++
		v.torn = nil
	}
	v.summary.Lines++
	v.summary.Last, v.summary.Head = l.Seq, l.hash
	v.found = v.found || l.hash == v.Head
	return nil
}

// follows says why l can't come after what was read.
func (v *Verifier) follows(l parsed) (wrong string) {
	before := v.summary.Head
	if v.summary.Lines == 0 {
		before = noHash
	}
	switch {
	case l.prev != before:
		return "it is not the line that was written after the one before it: lines were removed, added or moved"
	case l.Seq != v.summary.Last+1:
		return fmt.Sprintf("its seq is %d, want %d", l.Seq, v.summary.Last+1)
	case v.line == 1 && v.summary.Lines > 0 && l.Event != Rotate:
		return "a file that goes on where another ends begins with a rotate event"
	}
	return ""
}

func (v *Verifier) addTorn(p []byte, whole bool, wrong string) {
	if v.torn == nil {
		begin := fmt.Sprintf(`{"seq":%d,`, v.summary.Last+1)
		v.torn = &piece{at: BadLine{v.name, v.line, wrong}, sum: sha256.New(), begin: begin}
	}
	v.torn.add(p, whole)
}

// add adds a line, or a part of one that is too long.
func (t *piece) add(p []byte, whole bool) {
	switch {
	case t.bytes == 0:
		t.other = !bytes.HasPrefix(p, []byte(t.begin)) && (whole || !strings.HasPrefix(t.begin, string(p)))
	case !t.open:
		t.sum.Write([]byte{'\n'})
		t.other = t.other || !bytes.HasPrefix(p, []byte(t.begin))
	}
	t.other = t.other || t.open || goesOn(p)
	t.bytes += int64(len(p))
	t.open = !whole
	t.sum.Write(bytes.TrimSuffix(p, []byte{'\n'}))
}

// goesOn reports whether a line goes on after the end of one. In JSON strings quotes are escaped,
// so hashKey is there once.
func goesOn(line []byte) bool {
	line = bytes.TrimSuffix(line, []byte{'\n'})
	_, end, _ := bytes.Cut(line, []byte(hashKey))
	return len(end) > hashLen+len(`"}`) || len(line) >= maxLine
}

// is reports whether l tells of t, but for the line break that it begins with itself.
func (t *piece) is(l parsed) bool {
	return l.Torn == torn{t.bytes - 1, hex.EncodeToString(t.sum.Sum(nil))}
}

// Summary returns what was read. The error is a *BadLine if the last file ends in what no line that
// is being written can look like, and ErrNoHead if Head is set and is not there.
func (v *Verifier) Summary() (Summary, error) {
	s := v.summary
	if v.torn != nil {
		if !v.torn.open || v.torn.other {
			return s, &v.torn.at
		}
		s.Torn++
	}
	if v.Head != "" && !v.found {
		return s, ErrNoHead
	}
	return s, nil
}
