package awk

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// A stream is a file or a command that the program has open.
type stream struct {
	out  *bufio.Writer
	file io.Closer
	cmd  string        // a command that print writes to
	buf  *bytes.Buffer // what it will read
	in   *reader
	done int // exit status of a command that was read
}

// A command that print writes to runs when the stream is closed, with all of its input; one that getline reads runs
// to its end at once. So neither needs a goroutine, and output comes in the same order every time.

// maxPipe bounds what is kept for a command, in bytes.
const maxPipe = 256 << 20

var errPipe = errors.New("pipe is full")

// limited is a buffer with a limit.
type limited struct{ bytes.Buffer }

func (l *limited) Write(p []byte) (int, error) {
	if l.Len()+len(p) > maxPipe {
		return 0, errPipe
	}
	return l.Buffer.Write(p)
}

// output returns where print writes to.
func (in *interp) output(op, name string) *bufio.Writer {
	if op == "" {
		return in.env.Out
	}
	key := "o" + name
	if op == "|" {
		key = "p" + name
	}
	if s := in.files[key]; s != nil {
		return s.out
	}
	s := &stream{}
	in.files[key] = s
	switch {
	case op == "|":
		l := &limited{}
		s.cmd, s.buf, s.out = name, &l.Buffer, bufio.NewWriter(l)
	case name == "/dev/stdout" || name == "-":
		s.out = in.env.Out
	default:
		flags := os.O_TRUNC
		if op == ">>" {
			flags = os.O_APPEND
		}
		f, err := in.env.Create(name, flags)
		if err != nil {
			delete(in.files, key)
			in.fail("cannot open \"%s\" for output (%s)", name, tool.Strerror(err))
		}
		s.file, s.out = f, bufio.NewWriter(f)
	}
	return s.out
}

func (in *interp) print(s *printStmt) {
	if s.format {
		base := len(in.scratch)
		in.sprintf("printf", s.args)
		in.writer(s).Write(in.scratch[base:])
		in.scratch = in.scratch[:base]
		in.afterPrint(s)
		return
	}
	vals := in.values(s.args)
	out := in.writer(s)
	line := in.scratch // what it holds is in use, where a function that prints was called in the middle of something
	if len(vals) == 0 {
		line = append(line, in.str(in.record.get(0))...)
	}
	for i, v := range vals {
		if i > 0 {
			line = append(line, in.ofs...)
		}
		line = v.append(line, in.ofmt)
	}
	line = append(line, in.ors...)
	out.Write(line[len(in.scratch):])
	in.scratch = line[:len(in.scratch)]
	in.release(vals)
	in.afterPrint(s)
}

// values evaluates expressions. What it returns is given back with release.
func (in *interp) values(list []expr) []value {
	base := len(in.stack)
	for _, e := range list {
		v := e.eval(in)
		in.stack = append(in.stack, v)
	}
	return in.stack[base:]
}

func (in *interp) release(vals []value) { in.stack = in.stack[:len(in.stack)-len(vals)] }

func (in *interp) writer(s *printStmt) *bufio.Writer {
	if s.op == "" {
		return in.env.Out
	}
	return in.output(s.op, in.str(s.to.eval(in)))
}

// afterPrint shows at once what goes to standard error.
func (in *interp) afterPrint(s *printStmt) {
	if s.op == "" {
		return
	}
	if e := in.files["o/dev/stderr"]; e != nil {
		e.out.Flush()
	}
}

// close closes what is open by a name and returns its exit status, or -1.
func (in *interp) close(name string) float64 {
	status := -1.0
	for _, key := range []string{"o" + name, "p" + name, "f" + name, "c" + name} {
		s := in.files[key]
		if s == nil {
			continue
		}
		delete(in.files, key)
		status = float64(in.closeStream(s))
	}
	return status
}

func (in *interp) closeStream(s *stream) int {
	if s.out != nil {
		s.out.Flush()
	}
	if s.file != nil {
		s.file.Close()
	}
	if s.in != nil && s.in.file != nil {
		s.in.file.Close()
	}
	if s.buf != nil {
		return in.shell(s.cmd, s.buf, nil)
	}
	return s.done
}

func (in *interp) closeAll() {
	in.env.Out.Flush()
	for len(in.files) > 0 {
		for key, s := range in.files {
			delete(in.files, key)
			in.closeStream(s)
		}
	}
}

// shell runs a command line. A nil stdin or stdout is awk's own. Without a shell there is status 127.
func (in *interp) shell(line string, stdin io.Reader, stdout io.Writer) int {
	in.flush()
	if in.env.Exec == nil {
		in.env.Errorf("can't run commands here")
		return 127
	}
	env := in.env.Child()
	if stdin != nil {
		env.Stdin = stdin
	}
	if stdout != nil {
		env.Stdout = stdout
	}
	return in.env.Exec(env, []string{"sh", "-c", line})
}

// flush writes all output that is waiting.
func (in *interp) flush() {
	in.env.Out.Flush()
	for _, s := range in.files {
		if s.out != nil && s.buf == nil {
			s.out.Flush()
		}
	}
}

// source returns the reader of a file or of a command's output.
func (in *interp) source(e *getline) *reader {
	if e.cmd != nil {
		line := in.str(e.cmd.eval(in))
		s := in.files["c"+line]
		if s == nil {
			var out limited
			s = &stream{}
			s.done = in.shell(line, nil, &out)
			s.in = newReader(in, strings.NewReader(out.String()), nil)
			in.files["c"+line] = s
		}
		return s.in
	}
	name := in.str(e.file.eval(in))
	s := in.files["f"+name]
	if s == nil {
		f, err := in.env.Input(name)
		if err != nil {
			return nil
		}
		s = &stream{in: newReader(in, f, f)}
		in.files["f"+name] = s
	}
	return s.in
}

// getline reads a record: 1, or 0 at the end, or -1 if it can't be read.
func (e *getline) eval(in *interp) value {
	main := e.file == nil && e.cmd == nil
	var text string
	var ok bool
	if main {
		text, ok = in.input.next(in)
	} else {
		r := in.source(e)
		if r == nil {
			return num(-1)
		}
		text, ok = r.record()
		if !ok && r.err != nil {
			return num(-1)
		}
	}
	if !ok {
		return num(0)
	}
	if main {
		in.nr++
		in.fnr++
	} else if e.cmd != nil {
		in.nr++
	}
	if e.to == nil {
		in.record.set(lent(text))
	} else {
		in.store(e.to.locate(in), lent(text))
	}
	return num(1)
}
