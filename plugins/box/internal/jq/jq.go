package jq

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// Exit statuses of jq.
const (
	exitFalse    = 1 // -e, and the last result was false or null
	exitUsage    = 2 // or a file that can't be read
	exitCompile  = 3
	exitNoOutput = 4 // -e, and there was no result; or the input was no JSON
	exitFailed   = 5
)

func jq(env *tool.Env, args []string) int {
	o, err := parseOptions(env, args)
	if err != nil {
		env.Errorf("%v", err)
		if u := new(usageError); errors.As(err, &u) && u.hint {
			env.Warn("Use " + env.Name + " --help for help with command-line options,\nor see the jq manpage, or online docs  at https://stedolan.github.io/jq")
		}
		return exitUsage
	}
	if o == nil {
		return 0
	}
	if !o.hasProgram {
		o.program = "."
	}
	if o.fromFile {
		text, err := env.ReadFile(o.program)
		if err != nil {
			env.Errorf("Could not open %s: %s", o.program, tool.Strerror(err))
			return exitUsage
		}
		o.program = string(text)
	}
	arguments := &object{}
	arguments.set("positional", append([]any{}, o.positional...))
	arguments.set("named", o.named)
	variables := o.named.with("ARGS", arguments)
	program, complaints := compile(o.program, variables.keys)
	if complaints != nil {
		for _, c := range complaints {
			env.Warn(c)
		}
		plural := "s"
		if len(complaints) == 1 {
			plural = ""
		}
		env.Errorf("%d compile error%s", len(complaints), plural)
		return exitCompile
	}
	if len(o.files) == 0 {
		o.files = []string{"-"}
	}
	src := &source{env: env, files: o.files}
	r := &run{
		options: o, source: src, program: program,
		machine: &machine{
			env: env, inputs: o.reader(src), library: map[string]*closure{},
			line: func() int { return src.line }, file: src.fileName,
		},
	}
	for _, v := range variables.values() {
		r.variables = r.variables.bind(v)
	}
	return r.all()
}

// compile compiles a program that knows some variables. If it can't it says why.
func compile(program string, variables []string) (expr, []string) {
	q, wrong := parse(program)
	if wrong != "" {
		return nil, []string{wrong}
	}
	c := &compiler{source: program}
	var s *scope
	for _, name := range variables {
		s = &scope{up: s, name: "$" + name}
	}
	x := c.query(q, s)
	return x, c.errs
}

// A run is one run of a program over all of its inputs.
type run struct {
	*options
	source    *source
	machine   *machine
	program   expr
	variables *env
	status    int  // of the last input
	any       bool // the last input had results
	last      any  // result
	json      bytes.Buffer
}

// all runs the program for every input, and returns the exit status.
func (r *run) all() int {
	if r.nullInput {
		if r.one(nil) {
			return r.status
		}
		return r.exit()
	}
	for !r.machine.env.Stopped() {
		v, err := r.machine.inputs()
		if err == io.EOF {
			break
		}
		if err != nil {
			r.machine.env.Warn("parse error: " + err.Error())
			r.status = exitNoOutput
			return r.status
		}
		if r.one(v) {
			return r.status
		}
	}
	return r.exit()
}

func (r *run) exit() int {
	switch {
	case r.source.failed:
		return exitUsage
	case r.status != 0 || !r.exitStatus:
		return r.status
	case !r.any:
		return exitNoOutput
	case !truth(r.last):
		return exitFalse
	}
	return 0
}

// one runs the program for one input. It returns true if that is to be the last one.
func (r *run) one(v any) (over bool) {
	r.status = 0
	r.machine.depth = 0
	err := r.program(r.machine, r.variables, result{v: v}, func(out result) error {
		r.any, r.last = true, out.v
		return r.write(out.v)
	})
	switch err := err.(type) {
	case nil:
	case *raised:
		r.status = exitFailed
		r.complain(err)
	case *leaving:
		r.status = exitFailed
		r.machine.env.Errorf("error (at %s): break", r.source.position())
	case *halted:
		r.status = err.status
		if !err.quiet {
			r.lastWords(err.v)
		}
		return true
	default:
		if err == errEnded {
			return true
		}
		r.status = exitFailed
		r.machine.env.Errorf("error: %v", err)
		return true
	}
	return false
}

func (r *run) complain(err *raised) {
	kind := ""
	if _, ok := err.v.(string); !ok {
		kind = " (not a string)"
	}
	message, _, _ := strings.Cut(err.Error(), "\x00")
	r.machine.env.Errorf("error (at %s)%s: %s", r.source.position(), kind, message)
}

// lastWords writes what halt_error was given: a string as it is.
func (r *run) lastWords(v any) {
	env := r.machine.env
	env.Out.Flush()
	if s, ok := v.(string); ok {
		io.WriteString(env.Stderr, s)
		return
	}
	if v != nil {
		io.WriteString(env.Stderr, text(v)+"\n")
	}
}

func (r *run) write(v any) error {
	out := r.machine.env.Out
	if r.sequence {
		out.WriteByte('\x1e')
	}
	if s, ok := v.(string); ok && r.raw && !r.encoder.ascii {
		out.WriteString(s)
	} else {
		r.json.Reset()
		r.encoder.value(&r.json, v, 0)
		out.Write(r.json.Bytes())
	}
	switch {
	case r.nulEnd:
		out.WriteByte(0)
	case !r.joined:
		out.WriteByte('\n')
	}
	if r.machine.env.Stopped() {
		return errEnded
	}
	return nil
}

// complaint puts a message and the line of the program that it is about together.
func complaint(program, message string, at int) string {
	start := strings.LastIndexByte(program[:at], '\n') + 1
	line, _, _ := strings.Cut(program[start:], "\n")
	number := strings.Count(program[:start], "\n") + 1
	return "jq: error: " + message + " at <top-level>, line " + strconv.Itoa(number) + ":\n" + line + strings.Repeat(" ", at-start)
}

// positionOf is where a name is in a program, 0 if it is not found.
func positionOf(program, name string) int {
	if name == "" {
		return 0
	}
	return max(0, strings.Index(program, name))
}
