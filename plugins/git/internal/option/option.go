// Package option parses command lines as git does: clusters of short options, abbreviated long
// ones, "--no-" forms, options after operands, and git's messages.
package option

import (
	"fmt"
	"slices"
	"strings"
)

// A Result is a parsed command line.
type Result struct {
	values   map[string][]string
	order    []setting
	Operands []string
	Paths    []string // the operands after "--"
	Dashes   bool     // whether there was a "--"
}

// Has reports whether the option was given.
func (r *Result) Has(name string) bool { return len(r.values[name]) > 0 }

// All returns the arguments that the option was given.
func (r *Result) All(name string) []string { return r.values[name] }

// Arg returns the option's last argument, "" if there is none.
func (r *Result) Arg(name string) string {
	v := r.values[name]
	if len(v) == 0 {
		return ""
	}
	return v[len(v)-1]
}

// A setting is one option with its argument.
type setting struct{ name, arg string }

// Last returns which of these options was given last, and its argument; "" if none was.
func (r *Result) Last(names ...string) (name, arg string) {
	for _, s := range slices.Backward(r.order) {
		if slices.Contains(names, s.name) {
			return s.name, s.arg
		}
	}
	return "", ""
}

// Rest returns all operands, those after "--" too.
func (r *Result) Rest() []string { return slices.Concat(r.Operands, r.Paths) }

// An Error is a command line that is wrong.
type Error struct {
	Text    string
	Unknown bool // whether the option is none of the command's: its usage helps
}

func (e *Error) Error() string { return e.Text }

type entry struct {
	names []string
	kind  byte // '=' for an argument, '?' for an optional one, 0 for none
}

// Parse parses args. The options are described by words: "m,message=" is -m MSG and --message=MSG,
// "a,all" takes no argument, "stat?" an optional one, only as --stat=ARG. A Result knows an option
// by its first name. "#" allows -NUM, which is known as "#".
func Parse(args []string, description string) (*Result, error) {
	var spec []entry
	number := false
	for _, word := range strings.Fields(description) {
		if word == "#" {
			number = true
			continue
		}
		e := entry{}
		if k := word[len(word)-1]; k == '=' || k == '?' {
			e.kind, word = k, word[:len(word)-1]
		}
		e.names = strings.Split(word, ",")
		spec = append(spec, e)
	}
	r := &Result{values: map[string][]string{}}
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--":
			r.Paths, r.Dashes = args[i+1:], true
			return r, nil
		case strings.HasPrefix(a, "--"):
			used, err := r.long(spec, a[2:], args[i+1:])
			if err != nil {
				return nil, err
			}
			i += used
		case number && len(a) > 1 && a[0] == '-' && strings.Trim(a[1:], "0123456789") == "":
			r.values["#"] = append(r.values["#"], a[1:])
		case len(a) > 1 && a[0] == '-':
			used, err := r.short(spec, a[1:], args[i+1:])
			if err != nil {
				return nil, err
			}
			i += used
		default:
			r.Operands = append(r.Operands, a)
		}
	}
	return r, nil
}

func (r *Result) set(e entry, arg string) {
	r.values[e.names[0]] = append(r.values[e.names[0]], arg)
	r.order = append(r.order, setting{e.names[0], arg})
}

func (r *Result) long(spec []entry, text string, rest []string) (used int, err error) {
	name, arg, has := strings.Cut(text, "=")
	e, ok := find(spec, name)
	if !ok {
		return 0, &Error{fmt.Sprintf("unknown option `%s'", text), true}
	}
	switch {
	case e.kind == 0 && has:
		return 0, &Error{fmt.Sprintf("option `%s' takes no value", name), false}
	case e.kind == '=' && !has:
		if len(rest) == 0 {
			return 0, &Error{fmt.Sprintf("option `%s' requires a value", name), false}
		}
		arg, used = rest[0], 1
	}
	r.set(e, arg)
	return used, nil
}

// find returns the option called name, or the only one whose long name begins so.
func find(spec []entry, name string) (entry, bool) {
	var begins []entry
	for _, e := range spec {
		for _, n := range e.names {
			if n == name && len(n) > 1 {
				return e, true
			}
			if len(name) > 1 && len(n) > 1 && strings.HasPrefix(n, name) {
				begins = append(begins, e)
			}
		}
	}
	if len(begins) != 1 {
		return entry{}, false
	}
	return begins[0], true
}

func (r *Result) short(spec []entry, letters string, rest []string) (used int, err error) {
	for i := range len(letters) {
		letter := letters[i : i+1]
		at := slices.IndexFunc(spec, func(e entry) bool { return slices.Contains(e.names, letter) })
		if at < 0 {
			return 0, &Error{fmt.Sprintf("unknown switch `%s'", letter), true}
		}
		e := spec[at]
		switch {
		case e.kind == 0:
			r.set(e, "")
			continue
		case i+1 < len(letters) || e.kind == '?':
			r.set(e, letters[i+1:])
		case len(rest) == 0:
			return 0, &Error{fmt.Sprintf("switch `%s' requires a value", letter), false}
		default:
			r.set(e, rest[0])
			used = 1
		}
		return used, nil
	}
	return 0, nil
}
