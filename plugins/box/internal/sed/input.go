package sed

import (
	"io"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// An input is all input files as one stream of lines, or one at a time with -s and -i.
type input struct {
	env      *tool.Env
	names    []string
	separate bool
	delim    byte
	status   int

	name  string // of the current file
	file  io.ReadCloser
	lines *tool.Lines
	ended bool // whether the last line read had its newline
	// began and finished are called around each file; began may refuse it.
	began    func(name string) error
	finished func() error
	err      error // what ended the input too early
}

// open makes the next file that can be opened the current one.
func (in *input) open() bool {
	for len(in.names) > 0 && in.err == nil && !in.env.Stopped() {
		name := in.names[0]
		in.names = in.names[1:]
		r, err := in.env.Input(name)
		if err == nil && in.began != nil {
			if in.err = in.began(name); in.err != nil {
				r.Close()
				return false
			}
		}
		if err != nil {
			in.env.Errorf("can't read %s: %s", name, tool.Strerror(err))
			in.status = exitBadInput
			continue
		}
		in.name, in.file = name, r
		in.lines = tool.NewLines(r, in.delim)
		return true
	}
	return false
}

// close ends the current file.
func (in *input) close() {
	in.check(in.lines, in.name)
	in.file.Close()
	in.file, in.lines = nil, nil
	if in.finished != nil && in.err == nil {
		in.err = in.finished()
	}
}

// check keeps the error that ended lines, if it was not the end of the file.
func (in *input) check(lines *tool.Lines, name string) {
	if err := lines.Err(); err != nil && in.err == nil {
		in.err = &fileError{"read error on " + name, err}
	}
}

// next returns the next line, valid until the next call, and whether it is the first of a file that
// is edited alone.
func (in *input) next() (line []byte, first, ok bool) {
	for {
		if in.lines == nil {
			if !in.open() {
				return nil, false, false
			}
			first = in.separate
		}
		if line, ok = in.lines.Next(); ok {
			in.ended = in.lines.Ended
			return line, first, true
		}
		in.close()
	}
}

// skip reads what is left and looks at none of it. Whoever writes it is not to notice.
func (in *input) skip() {
	for in.lines != nil || in.open() {
		for in.lines.Skip() {
			if in.env.Stopped() {
				return
			}
		}
		in.close()
	}
}

// last reports whether the current line is the last one: of its file with -s, else of all.
func (in *input) last() bool {
	if in.lines == nil {
		return true
	}
	if in.lines.More() {
		return false
	}
	if in.separate {
		return true
	}
	for in.advance() {
		if in.lines.More() {
			return false
		}
	}
	return true
}

// advance moves on to the next file if there is one that can be opened.
func (in *input) advance() bool {
	old, lines, name := in.file, in.lines, in.name
	if !in.open() {
		return false
	}
	in.check(lines, name)
	old.Close()
	return true
}
