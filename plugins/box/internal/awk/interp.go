package awk

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/regex"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// An interp is a program at work. What goes wrong is thrown as a *runtimeError and caught in run.
type interp struct {
	env     *tool.Env
	prog    *program
	globals []cell
	frame   []cell // of the function that runs
	depth   int
	ret     value
	status  int
	exiting bool
	steps   int
	scratch []byte // where strings are put together; those who do leave it as it was
	growth  growth
	text    []byte   // a copy of what a pattern is searched in
	stack   []value  // of arguments that are being evaluated
	parts   []string // of split

	// What special variables hold, in the form in which it is used.
	nr, fnr                                        float64
	fs, ofs, rs, ors, subsep, convfmt, ofmt, fname string

	record  record
	input   *input
	files   map[string]*stream
	streams []*stream // the same, the oldest first
	cache   map[string]*regex.Regexp
	rand    *rand.Rand
	seed    float64
}

// A runtimeError ends the program.
type runtimeError struct {
	msg   string
	where bool // mawk tells where the input was
}

func (e *runtimeError) Error() string { return e.msg }

// fail ends the program with a message.
func (in *interp) fail(format string, a ...any) {
	panic(&runtimeError{msg: fmt.Sprintf(format, a...)})
}

// runtime is fail for what mawk calls a run time error.
func (in *interp) runtime(format string, a ...any) {
	panic(&runtimeError{msg: "run time error: " + fmt.Sprintf(format, a...), where: true})
}

func newInterp(env *tool.Env, prog *program) *interp {
	in := &interp{
		env: env, prog: prog, globals: make([]cell, prog.globals), files: map[string]*stream{}, cache: map[string]*regex.Regexp{},
		fs: " ", ofs: " ", rs: "\n", ors: "\n", subsep: "\x1c", convfmt: "%.6g", ofmt: "%.6g",
	}
	in.seed = float64(time.Now().Unix())
	in.rand = rand.New(rand.NewPCG(rand.Uint64(), 0))
	in.record.in = in
	for name, s := range specials {
		in.globals[prog.names[name].place].val = in.special(s)
	}
	return in
}

// special returns the value of a special variable.
func (in *interp) special(s special) value {
	switch s {
	case varNF:
		in.record.split()
		return num(float64(len(in.record.fields)))
	case varNR:
		return num(in.nr)
	case varFNR:
		return num(in.fnr)
	case varFS:
		return str(in.fs)
	case varOFS:
		return str(in.ofs)
	case varRS:
		return str(in.rs)
	case varORS:
		return str(in.ors)
	case varSUBSEP:
		return str(in.subsep)
	case varCONVFMT:
		return str(in.convfmt)
	case varOFMT:
		return str(in.ofmt)
	case varFILENAME:
		return str(in.fname)
	case varRLENGTH:
		return num(-1)
	}
	return value{}
}

// get returns the value of a variable.
func (in *interp) get(v *variable) value {
	switch v.special {
	case varNF, varNR, varFNR:
		return in.special(v.special)
	}
	return in.cell(v).val
}

func (in *interp) cell(v *variable) *cell {
	if v.local {
		return &in.frame[v.place]
	}
	return &in.globals[v.place]
}

// set assigns to a variable, with its effects.
func (in *interp) set(v *variable, val value) {
	val = val.kept()
	in.cell(v).val = val
	switch v.special {
	case varNF:
		in.record.setNF(int(max(0, min(val.num(), maxFields))))
	case varNR:
		in.nr = val.num()
	case varFNR:
		in.fnr = val.num()
	case varFS:
		in.record.split() // by the separator that it was read with
		in.fs = in.str(val)
	case varOFS:
		in.ofs = in.str(val)
	case varRS:
		in.rs = in.str(val)
	case varORS:
		in.ors = in.str(val)
	case varSUBSEP:
		in.subsep = in.str(val)
	case varCONVFMT:
		in.convfmt = in.str(val)
	case varOFMT:
		in.ofmt = in.str(val)
	case varFILENAME:
		in.fname = in.str(val)
	}
}

func (in *interp) setName(name string, val value) {
	if v := in.prog.names[name]; v != nil {
		in.set(v, val)
	}
}

func (in *interp) str(v value) string { return v.str(in.convfmt) }

// tick is called by whatever may go on for long.
func (in *interp) tick() {
	if in.steps++; in.steps&0xfff == 0 {
		in.look()
	}
}

// look ends the program if it should.
func (in *interp) look() {
	if in.env.Stopped() {
		panic(&runtimeError{msg: "stopped"})
	}
}
