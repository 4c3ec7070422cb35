package text

import (
	"strconv"

	"github.com/terrarium-dev/terrarium/core/vt"
)

// traces are what output has left behind on a terminal.
type traces struct {
	pen, charsets bool // were ever changed: DECRC may bring back what was undone
	link          bool // is open
	region        bool // lines scroll in a part of the screen
	insert        bool
	keypad        bool
	shape         bool                    // of the cursor
	modes         [len(privateModes)]bool // those that are not as they are normally
}

// see takes note of a control sequence that passes.
func (t *traces) see(op vt.Op, params *vt.Params) {
	switch op {
	case 'm':
		t.pen = true
	case 'r':
		t.region = params.Value(0) > 1 || params.Value(1) > 0
	case ' '<<8 | 'q':
		t.shape = true
	case 'h', 'l':
		t.insert = op == 'h'
	}
}

// privateModes are those that a Filter lets through, in the order in which they
// are undone: the alternate screens first, since the rest is the main screen's.
var privateModes = [...]struct {
	number int
	normal bool // it is set before a command comes
	keys   bool // it changes what a terminal sends
}{
	{number: 2026},             // synchronized output
	{number: 1049},             // the alternate screen, in three ways
	{number: 1047},             //
	{number: 47},               //
	{number: 5},                // DECSCNM, inverse video
	{number: 7, normal: true},  // DECAWM, autowrap
	{number: 25, normal: true}, // DECTCEM, the cursor is shown
	{number: 1, keys: true},    // DECCKM, application cursor keys
	{number: 66, keys: true},   // DECNKM, application keypad
	{number: 1000, keys: true}, // mouse: buttons
	{number: 1002, keys: true}, // and drags
	{number: 1003, keys: true}, // and moves
	{number: 1006, keys: true}, // as SGR
	{number: 1004, keys: true}, // focus
	{number: 2004, keys: true}, // bracketed paste
}

// appendUndo appends the sequences that take t back.
func (t *traces) appendUndo(dst []byte) []byte {
	if t.link {
		dst = append(dst, "\x1b]8;;\x1b\\"...)
	}
	for i, m := range privateModes {
		if !t.modes[i] {
			continue
		}
		final := byte('l')
		if m.normal {
			final = 'h'
		}
		dst = appendMode(dst, m.number, final)
	}
	for _, undo := range [...]struct {
		left     bool
		sequence string
	}{
		{t.insert, "\x1b[4l"},
		{t.charsets, "\x1b(B\x1b)B\x0f"},
		{t.region, "\x1b7\x1b[r\x1b8"}, // DECSTBM alone would move the cursor
		{t.pen, "\x1b[m"},
		{t.keypad, "\x1b>"},
		{t.shape, "\x1b[0 q"},
	} {
		if undo.left {
			dst = append(dst, undo.sequence...)
		}
	}
	return dst
}

// appendMode appends DECSET if final is 'h', or DECRST if it is 'l'.
func appendMode(dst []byte, number int, final byte) []byte {
	dst = append(dst, "\x1b[?"...)
	dst = strconv.AppendInt(dst, int64(number), 10)
	return append(dst, final)
}
