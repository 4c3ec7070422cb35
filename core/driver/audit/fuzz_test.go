package audit

import (
	"bytes"
	"strings"
	"testing"
)

// lines is a record of so many lines.
func lines(n int) (record []byte) {
	prev := noHash
	for i := range n {
		e := &Event{Event: Exit, Seq: uint64(i + 1), Prev: prev, Argv: []string{"x"}}
		record = appendLine(record, e)
		prev = e.Hash
	}
	return record
}

// FuzzVerify gives an answer for any file. Where that is that it is right, so it is for who reads
// only its end to go on, and no byte of a whole line can be changed.
func FuzzVerify(f *testing.F) {
	good := lines(3)
	cut := good[:len(good)-40]
	f.Add([]byte{}, 0)
	f.Add(good, 5)
	f.Add(cut, 700)
	f.Add(cut, len(lines(2))-1)
	f.Add(good[len(lines(1)):], 1)
	f.Add([]byte(strings.Repeat("x", 3*maxLine)), 0)
	f.Add(append(lines(1), strings.Repeat("\n", 100)...), 3)
	last := &Event{Event: Recover, Seq: 3, torn: tornOf(cut[len(lines(2)):])}
	last.Prev = string(good[len(lines(2))-hashLen-len(lineEnd) : len(lines(2))-len(lineEnd)])
	f.Add(appendLine(append(bytes.Clone(cut), '\n'), last), 800)
	f.Fuzz(func(t *testing.T, p []byte, at int) {
		e, ok := findEnd(p, true)
		var v Verifier
		if v.Verify("F", bytes.NewReader(p)) != nil {
			return
		}
		s, err := v.Summary()
		if err != nil || s.Lines == 0 {
			return
		}
		if whole := len(p) > 0 && p[len(p)-1] == '\n'; whole && (!ok || e.hash != s.Head || e.seq != s.Last || e.open) {
			t.Errorf("its end is %+v, %v, want that of %+v", e, ok, s)
		}
		end := bytes.LastIndexByte(p, '\n')
		if v.torn != nil {
			end = len(p) - int(v.torn.bytes) // what is in flight is not known
		}
		if at >= 0 && at < end {
			p = bytes.Clone(p)
			p[at] ^= 1
			v = Verifier{}
			if v.Verify("F", bytes.NewReader(p)) == nil {
				if _, err := v.Summary(); err == nil {
					t.Errorf("a change of byte %d of %q is not found", at, p)
				}
			}
		}
	})
}
