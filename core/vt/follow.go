package vt

import (
	"bytes"
	"slices"
	"strconv"
)

// maxJSONRow is the most bytes of JSON that a [Follower] makes of a row whose looks it tells: links
// of a row of different ones would be megabytes.
const maxJSONRow = 64 << 10

// A Follower tells what a [Screen] shows to somebody who keeps a copy: all of it first, and then
// what has changed. The zero value has told nothing. It follows one Screen, and is not safe for
// concurrent use.
type Follower struct {
	cols int
	told []uint64 // for each row, the generation of the screen that was told
	head []byte   // what was told besides the rows
	y    int      // the row to go on with, 0 after all of them
}

// AppendJSON appends what s shows and was not told to dst, as one JSON object. It appends nothing
// if that is nothing. The members are those of [Screen.AppendJSON], to lines, which have a number:
//
//	{"rows":24,"cols":80,"cursor":{"x":0,"y":0},"alt":false,"title":"","snapshot":true,
//	 "lines":[{"y":0,"runs":[{"text":"ls"},…]},…]}
//
// With snapshot, which comes first and where the size has changed, the lines that are missing are
// blank; without, they are as they were. It ends with the row that makes it most bytes long, and
// more says whether to ask again. A row of more than 64 KiB is told as its text alone. While output
// is synchronized it tells the last complete frame: see [Screen.Synchronized].
func (f *Follower) AppendJSON(dst []byte, s *Screen, most int) (out []byte, more bool) {
	snapshot := len(f.told) != s.rows || f.cols != s.cols
	if snapshot {
		*f = Follower{cols: s.cols, told: make([]uint64, s.rows), head: f.head[:0]}
	}
	first := f.y // what is above may have changed since it was told: it comes last
	start := len(dst)
	dst = s.appendJSONHead(dst)
	same := bytes.Equal(dst[start:], f.head)
	f.head = append(f.head[:0], dst[start:]...)
	dst = strconv.AppendBool(append(dst, `,"snapshot":`...), snapshot)
	dst = append(dst, `,"lines":[`...)
	lines, generation := len(dst), s.wholeGeneration()
	for n := range s.rows {
		y := (first + n) % s.rows
		if s.seenGeneration(y) <= f.told[y] {
			continue
		}
		if len(dst) > lines && len(dst)-start >= most {
			f.y = y
			return append(dst, "]}"...), true
		}
		f.told[y] = generation
		dst = s.appendJSONRow(dst, y, len(dst) > lines, snapshot)
	}
	f.y = 0
	if len(dst) == lines && same {
		return dst[:start], false
	}
	return append(dst, "]}"...), false
}

// appendJSONRow appends row y with its number, after a comma if it is to be, and nothing if it is
// blank and that goes without saying.
func (s *Screen) appendJSONRow(dst []byte, y int, comma, unlessBlank bool) []byte {
	start := len(dst)
	if comma {
		dst = append(dst, ',')
	}
	dst = append(appendInt(dst, `{"y":`, y), `,"runs":[`...)
	runs := len(dst)
	dst = s.appendJSONRuns(dst, y)
	switch {
	case len(dst) == runs && unlessBlank:
		return dst[:start]
	case len(dst)-runs > maxJSONRow:
		dst = s.appendJSONText(dst[:runs], y)
	}
	return append(dst, "]}"...)
}

// appendJSONText appends row y as one run of text.
func (s *Screen) appendJSONText(dst []byte, y int) []byte {
	var text []byte
	width := 0
	for run := range s.Runs(y) {
		text = append(text, run.Text...)
		width = run.X + run.Width
	}
	dst = slices.Grow(dst, len(text))
	dst = appendJSONString(append(dst, `{"text":`...), text)
	return append(appendInt(dst, `,"width":`, width), '}')
}
