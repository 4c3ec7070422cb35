package text

import (
	"bytes"

	"github.com/terrarium-dev/terrarium/core/vt"
)

// maxOpen is the length of an open line, in bytes or in cells, at which it is
// committed.
const maxOpen = 64 << 10

// A Sink takes committed output. p is lent.
type Sink interface {
	Append(p []byte)
}

// A Folder turns what a program writes to a terminal into the text that it
// means: escape sequences are removed, and what a progress bar rewrites appears
// once. The zero value is ready to use.
//
// A line is open until a newline (LF, VT, FF, IND or NEL) commits it. In the
// open line, text lands where the cursor is:
//
//   - CR, BS, HT, CHA, HPA, HPR, CUF and CUB move the cursor. HT at the end of
//     the line is kept, as a tab; elsewhere it only moves, to the next multiple
//     of 8. The cursor goes no further than column 1023, or the end of a line
//     that is longer; there is no right margin and no wrapping.
//   - Text replaces what was there, cell by cell, with the widths of
//     [vt.RuneWidth]. What is left of a wide character or a tab becomes blank.
//     A combining character joins the cell before the cursor.
//   - EL, ECH, ICH, DCH, and ED for the part of the screen that is the open
//     line, do as they say. Those that do not erase up to the end of the line
//     (ECH, ICH, DCH, EL 1) do nothing in a line of more than 1024 cells: no
//     terminal is that wide.
//   - Blanks at the end of the line that nobody printed, but moves or erasures
//     left, do not count.
//
// Only the open line can change. A sequence that leaves it (cursor up, down or
// to a position, the alternate screen, clearing the screen, and the like) ends
// it with a newline, if there is anything in it. The full-screen programs
// that use them read badly here; that is what a [vt] screen is for.
//
// Everything else is removed. Of line drawing (SO, ESC ( 0) the letters remain.
//
// An open line that reaches 64 KiB is committed as it is, without a newline,
// and what follows is a new line. So is one that is being rewritten and reaches
// 65536 columns, as tabs can. That bounds memory, at about eight times 64 KiB
// for the worst of lines. A Folder whose lines are short holds a few hundred
// bytes.
type Folder struct {
	parser vt.Parser
	dst    Sink // during Write

	// The open line is buf while everything was appended to it, and the cursor
	// is at its end, or at its start if home is set. That does for nearly all
	// lines. Where it does not, edited is set and the open line is cells.
	buf    []byte
	home   bool
	edited bool
	cells  cells
}

// Write takes more of the stream: p is valid UTF-8, whole characters. Lines that
// end in it go to dst. How the stream is cut into chunks makes no difference.
//
// It allocates only for an open line that is much longer than the one before.
func (f *Folder) Write(dst Sink, p []byte) {
	f.dst = dst
	for len(p) > 0 {
		if f.fresh() {
			if n := plainLines(dst, p); n > 0 {
				p = p[n:]
				f.release(0)
				continue
			}
		}
		n := bytes.IndexByte(p, '\n') + 1
		if n == 0 {
			n = len(p)
		}
		f.parser.Parse((*folding)(f), p[:n])
		p = p[n:]
	}
	f.dst = nil
}

// OpenLen returns the length of the open line, in bytes.
func (f *Folder) OpenLen() int {
	if f.edited {
		return f.cells.size
	}
	return len(f.buf)
}

// AppendOpen appends the open line to dst.
func (f *Folder) AppendOpen(dst []byte) []byte {
	if f.edited {
		return f.cells.appendTo(dst)
	}
	return append(dst, f.buf...)
}

// Flush ends the stream: the open line goes to dst without a newline, and the
// Folder is ready for another stream. A sequence that is not complete is
// dropped.
func (f *Folder) Flush(dst Sink) {
	if f.OpenLen() > 0 {
		dst.Append(f.AppendOpen(f.buf[:0]))
	}
	*f = Folder{}
}

// fresh reports whether the next byte is the first of a line.
func (f *Folder) fresh() bool {
	return len(f.buf) == 0 && !f.edited && f.parser.Ground()
}

// plainLines hands the lines at the start of p to dst, as long as they hold no
// control that would change them, and returns their length in p.
func plainLines(dst Sink, p []byte) int {
	start, end := 0, 0 // of what dst does not have yet
	for i := 0; ; i++ {
		i += vt.TextLen(p[i:])
		switch {
		case i == len(p):
		case p[i] == '\n':
			end = i + 1
			continue
		case p[i] == '\t':
			continue
		case p[i] == '\r' && i+1 < len(p) && p[i+1] == '\n':
			if i > start {
				dst.Append(p[start:i])
			}
			start = i + 1
			continue
		}
		if end > start {
			dst.Append(p[start:end])
		}
		return end
	}
}

// commit hands the open line to dst, with tail, and begins another.
func (f *Folder) commit(tail string) {
	if f.edited {
		f.buf = f.cells.appendTo(f.buf[:0])
	}
	f.buf = append(f.buf, tail...)
	f.dst.Append(f.buf)
	f.clear()
}

// clear makes the open line empty, with the cursor at its start.
func (f *Folder) clear() {
	used := max(len(f.buf), len(f.cells.line))
	f.buf = f.buf[:0]
	f.home = false
	f.edited = false
	f.cells.reset()
	f.release(used)
}

// release gives memory back that is far more than a line of n bytes or cells
// needs.
func (f *Folder) release(n int) {
	const keepBytes, keepCells = 4 << 10, 1 << 10
	if cap(f.buf) > max(keepBytes, 8*n) {
		f.buf = nil
	}
	if cap(f.cells.line)+cap(f.cells.marks) > max(keepCells, 8*n) {
		f.cells = cells{}
	}
}

// atStart and atEnd report whether the cursor is known to be there, without the
// cells.
func (f *Folder) atStart() bool { return !f.edited && (f.home || len(f.buf) == 0) }
func (f *Folder) atEnd() bool   { return !f.edited && (!f.home || len(f.buf) == 0) }

// edit makes cells the open line.
func (f *Folder) edit() *cells {
	if f.edited {
		return &f.cells
	}
	for line := f.buf; len(line) > 0; {
		n := f.cells.load(line)
		if f.cells.full() {
			f.dst.Append(line[:n])
			f.cells.reset()
		}
		line = line[n:]
	}
	if f.home {
		f.cells.col = 0
	}
	f.buf = f.buf[:0]
	f.home = false
	f.edited = true
	return &f.cells
}

// settle goes back to the simple form where the line allows it.
func (f *Folder) settle() {
	if f.edited && f.cells.empty() {
		f.clear()
	}
}

// overflow commits a line that is too long to stay open.
func (f *Folder) overflow() {
	if len(f.buf) >= maxOpen || f.edited && f.cells.full() {
		f.commit("")
	}
}
