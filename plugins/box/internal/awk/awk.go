package awk

import (
	"errors"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// options is the parsed command line.
type options struct {
	program string
	file    string // that the program is from, "" if it was an argument
	assigns []string
	fs      *string
	args    []string
}

func awk(env *tool.Env, args []string) int {
	o, status := parseOptions(env, args)
	if o == nil {
		return status
	}
	prog, err := parse(o.program)
	if err != nil {
		report(env, err, o.file)
		return 2
	}
	in := newInterp(env, prog)
	environ := in.array(prog.names["ENVIRON"])
	for _, kv := range env.Environ {
		name, val, _ := strings.Cut(kv, "=")
		environ.at(name).val = field(val)
	}
	argv := in.array(prog.names["ARGV"])
	argv.at("0").val = str(env.Name)
	for i, a := range o.args {
		argv.at(formatNumber(float64(i+1), "")).val = field(a)
	}
	in.setName("ARGC", num(float64(len(o.args)+1)))
	return in.run(o)
}

// report shows what is wrong with a program, or with the file that it is in.
func report(env *tool.Env, err error, file string) {
	if file != "" {
		file += ": "
	}
	var e *syntaxError
	for errors.As(err, &e) {
		env.Errorf("%s%v", file, e)
		if e.next == nil {
			return
		}
		err = e.next
	}
	env.Errorf("%v", err)
}

// parseOptions parses -F, -v and -f, whose arguments may follow at once.
func parseOptions(env *tool.Env, args []string) (*options, int) {
	o := &options{}
	hasFile := false
	var program strings.Builder
	i := 1
	for ; i < len(args) && len(args[i]) > 1 && args[i][0] == '-'; i++ {
		a := args[i]
		if a == "--" {
			i++
			break
		}
		if a == "--version" || a == "-V" || a == "-Wversion" || a == "-W" && i+1 < len(args) && args[i+1] == "version" {
			env.Version()
			return nil, 0
		}
		if a == "--help" {
			env.Help()
			return nil, 0
		}
		if strings.IndexByte("Fvf", a[1]) < 0 {
			env.Errorf("not an option: %s", a)
			return nil, 2
		}
		arg := a[2:]
		if arg == "" {
			if i++; i == len(args) {
				env.Errorf("option requires an argument -- %c", a[1])
				return nil, 2
			}
			arg = args[i]
		}
		switch a[1] {
		case 'F':
			fs := unescape(arg)
			o.fs = &fs
		case 'v':
			if name, _, ok := strings.Cut(arg, "="); !ok || !isName(name) {
				env.Errorf("improper assignment: -v %s", arg)
				return nil, 2
			}
			o.assigns = append(o.assigns, arg)
		case 'f':
			p, err := env.ReadFile(arg)
			if err != nil {
				env.Errorf("cannot open %s (%s)", arg, tool.Strerror(err))
				return nil, 2
			}
			hasFile, o.file = true, arg
			program.Write(p)
			program.WriteByte('\n')
		}
	}
	if !hasFile {
		if i == len(args) {
			env.Help()
			return nil, 0
		}
		program.WriteString(args[i])
		i++
	}
	o.program, o.args = program.String(), args[i:]
	return o, 0
}

// run runs the program and returns its exit status.
func (in *interp) run(o *options) (status int) {
	defer in.closeAll()
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		e, ok := r.(*runtimeError)
		if !ok {
			panic(r)
		}
		in.env.Errorf("%s", e.msg)
		if e.where {
			in.env.Warn("\tFILENAME=\"" + in.fname + "\" FNR=" + formatNumber(in.fnr, "") + " NR=" + formatNumber(in.nr, ""))
		}
		status = 2
	}()
	if o.fs != nil {
		in.setName("FS", str(*o.fs))
	}
	for _, a := range o.assigns {
		in.assignment(a)
	}
	in.input = &input{}
	in.blocks(in.prog.begin)
	if !in.exiting && (len(in.prog.rules) > 0 || len(in.prog.end) > 0) {
		in.records()
	}
	in.exiting = false // "exit" outside of END still runs END
	in.blocks(in.prog.end)
	return in.status
}

func (in *interp) blocks(list []*block) {
	for _, b := range list {
		if in.block(b.body); in.exiting {
			return
		}
	}
}

// records runs the rules for every record.
func (in *interp) records() {
	for !in.exiting && in.someRecords() {
	}
}

// someRecords is records up to a next that comes from within a function, if there is one. It
// reports whether there is.
func (in *interp) someRecords() (more bool) {
	defer func() {
		if r := recover(); r != nil {
			j, ok := r.(jump)
			if !ok {
				panic(r)
			}
			in.depth, in.frame, in.scratch, in.stack = 0, nil, in.scratch[:0], in.stack[:0]
			if j == jumpNextFile {
				in.input.skip()
			}
			more = true
		}
	}()
	for !in.exiting {
		in.tick()
		text, chosen := "", false
		if s := in.prog.skipper; s != nil {
			text, chosen = in.skip(s)
		}
		if !chosen {
			var ok bool
			if text, ok = in.input.next(in); !ok {
				return false
			}
		}
		in.nr++
		in.fnr++
		in.record.set(lent(text))
		var j jump
		if chosen {
			j = in.act(in.prog.rules[0])
		} else {
			j = in.rules()
		}
		if j == jumpNextFile {
			in.input.skip()
		}
	}
	return false
}

// rules runs the rules for one record.
func (in *interp) rules() jump {
	for _, r := range in.prog.rules {
		if !in.chosen(r) {
			continue
		}
		if j := in.act(r); j != noJump {
			return j
		}
	}
	return noJump
}

// act does what a rule is for.
func (in *interp) act(r *rule) jump {
	if r.print {
		in.print(&printRecord)
		return noJump
	}
	return in.block(r.body)
}

// printRecord is the action of a rule without one.
var printRecord printStmt

// chosen reports whether a rule's pattern chooses the record.
func (in *interp) chosen(r *rule) bool {
	switch {
	case r.pattern == nil:
		return true
	case r.until == nil:
		return r.pattern.holds(in)
	}
	if !r.active && !r.pattern.holds(in) {
		return false
	}
	r.active = !r.until.holds(in)
	return true
}
