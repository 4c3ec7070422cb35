package awk

import (
	"bufio"
	"context"
	"io"
	"os"
	"slices"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// A stream is a file or a command that the program has open.
type stream struct {
	key  string
	out  *bufio.Writer
	file io.Closer
	in   *reader
	run  *running // the command
}

// A running command has begun where the program first writes to it or reads from it.
type running struct {
	end    io.Closer // of the pipe, which is ours
	cancel context.CancelFunc
	done   chan int // its exit status
}

// start runs a command line with a pipe as its standard input or output. A line without a shell has
// status 127.
func (in *interp) start(line string, connect func(child *tool.Env) (theirs, ours io.Closer)) *running {
	in.flush()
	child := in.env.Child()
	theirs, ours := connect(&child)
	run := &running{end: ours, done: make(chan int, 1)}
	child.Context, run.cancel = context.WithCancel(child.Context)
	go func() { // ends with the command, for which closeStream waits
		status := in.exec(child, line)
		theirs.Close()
		run.done <- status
	}()
	return run
}

// readFrom starts a command that print writes to. The program dies of what nobody reads, as it does
// of its output.
func (in *interp) readFrom(line string) *stream {
	r, w := io.Pipe()
	run := in.start(line, func(child *tool.Env) (theirs, ours io.Closer) {
		child.Stdin = r
		return r, w
	})
	return &stream{run: run, out: bufio.NewWriter(in.env.Output(w))}
}

// writeTo starts a command that getline reads.
func (in *interp) writeTo(line string) *stream {
	r, w := io.Pipe()
	run := in.start(line, func(child *tool.Env) (theirs, ours io.Closer) {
		child.Stdout = w
		return w, r
	})
	return &stream{run: run, in: newReader(in, r, nil)}
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
	switch {
	case op == "|":
		s = in.readFrom(name)
	case name == "/dev/stdout" || name == "-":
		s.out = in.env.Out
	default:
		flags := os.O_TRUNC
		if op == ">>" {
			flags = os.O_APPEND
		}
		f, err := in.env.Create(name, flags)
		if err != nil {
			in.fail("cannot open \"%s\" for output (%s)", name, tool.Strerror(err))
		}
		s.file, s.out = f, bufio.NewWriter(f)
	}
	in.opened(key, s)
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
	// What it holds is in use where a function that prints was called in the middle of something.
	line := in.scratch
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

// opened remembers what is open, by its name and by its age.
func (in *interp) opened(key string, s *stream) {
	s.key, in.files[key] = key, s
	in.streams = append(in.streams, s)
}

// close closes what is open by a name and returns its exit status, or -1.
func (in *interp) close(name string) float64 {
	status := -1.0
	for _, key := range []string{"o" + name, "p" + name, "f" + name, "c" + name} {
		if s := in.files[key]; s != nil {
			in.streams = slices.DeleteFunc(in.streams, func(other *stream) bool { return other == s })
			status = float64(in.closeStream(s))
		}
	}
	return status
}

// closeStream closes a stream, waits for its command, and returns its exit status.
func (in *interp) closeStream(s *stream) int {
	delete(in.files, s.key)
	if s.out != nil {
		s.out.Flush()
	}
	if s.file != nil {
		s.file.Close()
	}
	if s.in != nil && s.in.file != nil {
		s.in.file.Close()
	}
	if s.run == nil {
		return 0
	}
	s.run.end.Close()
	defer s.run.cancel()
	return <-s.run.done
}

// closeAll closes what is open, the newest first. Nobody waits for a command that was read.
func (in *interp) closeAll() {
	for _, s := range slices.Backward(in.streams) {
		if s.run != nil && s.in != nil {
			s.run.cancel()
		}
		in.closeStream(s)
	}
	in.streams = nil
}

// exec runs a command line. Without a shell there is status 127.
func (in *interp) exec(child tool.Env, line string) int {
	if child.Exec == nil {
		io.WriteString(child.Stderr, in.env.Name+": can't run commands here\n")
		return 127
	}
	return child.Exec(child, []string{"sh", "-c", line})
}

// system runs a command line to its end.
func (in *interp) system(line string) int {
	in.flush()
	return in.exec(in.env.Child(), line)
}

// flush writes all output that is waiting.
func (in *interp) flush() {
	in.env.Out.Flush()
	for _, s := range in.streams {
		if s.out != nil {
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
			s = in.writeTo(line)
			in.opened("c"+line, s)
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
		in.opened("f"+name, s)
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
