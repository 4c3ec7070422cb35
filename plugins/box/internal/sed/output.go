package sed

import (
	"bufio"
	"io"
	"os"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// An output is standard output, a file edited in place, or a file of w. A last line without a
// newline gets it only when more follows.
type output struct {
	*bufio.Writer
	file    io.WriteCloser
	missing bool // the newline of the last line
}

// line writes a line; ended says whether with its newline.
func (o *output) line(p []byte, delim byte, ended bool) {
	o.newline(delim)
	o.Write(p)
	if ended {
		o.WriteByte(delim)
	}
	o.missing = !ended
}

// newline ends the last line if it has no end yet.
func (o *output) newline(delim byte) {
	if o.missing {
		o.WriteByte(delim)
		o.missing = false
	}
}

// text writes text that ends its own lines.
func (o *output) text(p []byte, delim byte) {
	o.newline(delim)
	o.Write(p)
}

// outputs are the files of w by name.
type outputs map[string]*output

// create opens the files that the script writes, which empties them.
func (m outputs) create(env *tool.Env, names []string, stdout *output) error {
	for _, name := range names {
		if m[name] != nil {
			continue
		}
		if name == "/dev/stdout" {
			m[name] = stdout
			continue
		}
		f, err := env.Create(name, os.O_TRUNC)
		if err != nil {
			return &fileError{"couldn't open file " + name, err}
		}
		m[name] = &output{Writer: bufio.NewWriter(f), file: f}
	}
	return nil
}

func (m outputs) close() error {
	var first error
	for name, o := range m {
		if o.file == nil {
			continue
		}
		err := o.Flush()
		if e := o.file.Close(); err == nil {
			err = e
		}
		if err != nil && first == nil {
			first = &fileError{"couldn't flush " + name, err}
		}
	}
	return first
}

// A fileError is an error of the system with what was tried.
type fileError struct {
	what string
	err  error
}

func (e *fileError) Error() string { return e.what + ": " + tool.Strerror(e.err) }
