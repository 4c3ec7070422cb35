package vt_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core/vt"
)

// spender has more done than its bytes pay for.
var spender = []byte(strings.Repeat("\x1b[1\"qa\x1b[4000b\x1b#8\x1b[?2J\x1b[m\x1b[3'}b\x1b[2J世\x1b[900be\u0301\x1b[70b", 100))

// TestBudgetInChunks: what is clipped is the same however a stream is cut.
func TestBudgetInChunks(t *testing.T) {
	checkChunks(t, vt.Options{Rows: 20, Cols: 100}, spender)
	checkChunks(t, vt.Options{Rows: 4, Cols: 9}, spender)
}

// TestBudget spends what there is. Then DECALN does nothing, all that erases
// works as ever, and text pays for another DECALN.
func TestBudget(t *testing.T) {
	s := vt.NewScreen(vt.Options{Rows: 40, Cols: 120})
	align := func() string {
		s.Write([]byte("\x1b[2J\x1b#8"))
		return string(s.AppendText(nil))
	}
	const page = 40 * 120
	aligned := strings.Repeat(strings.Repeat("E", 120)+"\n", 40)
	if got := align(); got != aligned {
		t.Errorf("a new Screen does not do DECALN: got %q", got)
	}
	s.Write(bytes.Repeat([]byte("\x1b#8"), 100))
	if got := align(); got != "" {
		t.Errorf("after a hundred times DECALN: got %q, want nothing", got)
	}
	s.Write(bytes.Repeat([]byte("text\b\b\b\b"), page/4))
	if got := align(); got != aligned {
		t.Errorf("after much text DECALN is not done: got %q", got)
	}
}

// TestRepeatPays: a program that draws lines with REP, and little else, has all
// of them drawn.
func TestRepeatPays(t *testing.T) {
	s := vt.NewScreen(vt.Options{Rows: 40, Cols: 120})
	line := []byte("\r\n-\x1b[119b")
	want := strings.Repeat(strings.Repeat("-", 120)+"\n", 40)
	s.Write(bytes.Repeat(line, 20_000))
	if got := string(s.AppendText(nil)); got != want {
		t.Errorf("got %q", got)
	}
}
