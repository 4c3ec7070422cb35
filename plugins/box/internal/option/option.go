// Package option parses command lines as GNU's getopt_long does: clusters of short options,
// abbreviated long ones, options after operands, and its messages to the letter.
package option

import (
	"errors"
	"fmt"
	"strings"
)

// An Option is one option as given.
type Option struct {
	Name string // its letter, or its long name if it has no letter; "" for an operand in its place
	Arg  string
	Set  bool // whether there is an argument, for those where it is optional
}

// A Result is a parsed command line.
type Result struct {
	Options  []Option // in order
	Operands []string
}

// Has reports whether an option was given.
func (r *Result) Has(name string) bool {
	for _, o := range r.Options {
		if o.Name == name {
			return true
		}
	}
	return false
}

type kind byte

const (
	none     kind = 0
	required kind = '='
	optional kind = '?'
)

type entry struct {
	name string // what Option.Name will be
	long string
	kind kind
}

// A spec is the parsed description of a command's options.
type spec struct {
	short   map[byte]entry
	long    []entry
	inOrder bool // the first operand ends the options
	inPlace bool // operands are options too
}

// Parse parses args, without the command's name. The options are described by words: "n,lines=" is
// -n NUM and --lines=NUM, "A,show-all" takes no argument, "color?" has an optional one (only as
// --color=WHEN or -iSUFFIX). Letters of one option may be many: "R,r,dereference". A description
// that begins with "+ " makes the first operand end the options; with "- " each operand is an
// option without a name too, for those to whom it matters what stands before it. Parse panics for
// nothing; its errors are what getopt prints after the name.
func Parse(args []string, description string) (*Result, error) {
	s := compile(description)
	res := &Result{}
	operand := func(a string) {
		res.Operands = append(res.Operands, a)
		if s.inPlace {
			res.Options = append(res.Options, Option{Arg: a, Set: true})
		}
	}
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--":
			for _, a := range args[i+1:] {
				operand(a)
			}
			return res, nil
		case strings.HasPrefix(a, "--"):
			used, err := s.parseLong(a[2:], args[i+1:], res)
			if err != nil {
				return nil, err
			}
			i += used
		case len(a) > 1 && a[0] == '-':
			used, err := s.parseShort(a[1:], args[i+1:], res)
			if err != nil {
				return nil, err
			}
			i += used
		case s.inOrder:
			res.Operands = append(res.Operands, args[i:]...)
			return res, nil
		default:
			operand(a)
		}
	}
	return res, nil
}

func compile(description string) *spec {
	s := &spec{short: map[byte]entry{}}
	for _, word := range strings.Fields(description) {
		switch word {
		case "+":
			s.inOrder = true
			continue
		case "-":
			s.inPlace = true
			continue
		}
		k := none
		if c := kind(word[len(word)-1]); len(word) > 1 && (c == required || c == optional) {
			k, word = c, word[:len(word)-1]
		}
		names := strings.Split(word, ",")
		for _, n := range names {
			e := entry{name: names[0], kind: k}
			if len(n) == 1 {
				s.short[n[0]] = e
				continue
			}
			e.long = n
			s.long = append(s.long, e)
		}
	}
	return s
}

// parseShort parses a cluster of short options and returns how many of rest it took.
func (s *spec) parseShort(cluster string, rest []string, res *Result) (int, error) {
	for i := 0; i < len(cluster); i++ {
		e, ok := s.short[cluster[i]]
		if !ok {
			return 0, fmt.Errorf("invalid option -- '%s'", cluster[i:i+1])
		}
		o := Option{Name: e.name}
		if e.kind == none {
			res.Options = append(res.Options, o)
			continue
		}
		used := 0
		o.Arg, o.Set = cluster[i+1:], i+1 < len(cluster)
		if !o.Set && e.kind == required {
			if len(rest) == 0 {
				return 0, fmt.Errorf("option requires an argument -- '%s'", cluster[i:i+1])
			}
			o.Arg, o.Set, used = rest[0], true, 1
		}
		res.Options = append(res.Options, o)
		return used, nil
	}
	return 0, nil
}

// parseLong parses what follows "--" and returns how many of rest it took.
func (s *spec) parseLong(a string, rest []string, res *Result) (int, error) {
	name, arg, has := strings.Cut(a, "=")
	e, err := s.find(name, a)
	if err != nil {
		return 0, err
	}
	o := Option{Name: e.name, Arg: arg, Set: has}
	used := 0
	switch {
	case has && e.kind == none:
		return 0, fmt.Errorf("option '--%s' doesn't allow an argument", e.long)
	case !has && e.kind == required:
		if len(rest) == 0 {
			return 0, fmt.Errorf("option '--%s' requires an argument", e.long)
		}
		o.Arg, o.Set, used = rest[0], true, 1
	}
	res.Options = append(res.Options, o)
	return used, nil
}

// find resolves a long name or a prefix of one that means a single option; given is the whole word,
// for messages.
func (s *spec) find(name, given string) (entry, error) {
	var found []entry
	for _, e := range s.long {
		if e.long == name {
			return e, nil
		}
		if strings.HasPrefix(e.long, name) {
			found = append(found, e)
		}
	}
	if len(found) == 0 {
		return entry{}, errors.New("unrecognized option '--" + given + "'")
	}
	for _, e := range found[1:] {
		if e.name == found[0].name {
			continue
		}
		msg := "option '--" + given + "' is ambiguous; possibilities:"
		for _, e := range found {
			msg += " '--" + e.long + "'"
		}
		return entry{}, errors.New(msg)
	}
	return found[0], nil
}
