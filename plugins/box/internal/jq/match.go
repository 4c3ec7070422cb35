package jq

import (
	"strings"
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/regex"
)

// A matched is one match of a pattern, by offsets in bytes, -1 for groups that did not match.
type matched struct {
	loc   []int
	names []string // of the groups, "" where there is none
}

// find returns the matches of a pattern in a string. In flags are g, i, x, s, n and the others of
// jq.
func find(in, pattern, flags any) (s string, all []matched, err error) {
	s, ok := in.(string)
	if !ok {
		return "", nil, raise(describe(in) + " cannot be matched, as it is not a string")
	}
	p, ok := pattern.(string)
	if !ok {
		return "", nil, raise(describe(pattern) + " cannot be matched, as it is not a string")
	}
	o := regex.Options{Perl: true}
	global, skipEmpty := false, false
	letters, ok := flags.(string)
	if !ok && flags != nil {
		return "", nil, raise(describe(flags) + " is not a string")
	}
	inline := ""
	for _, letter := range letters {
		switch letter {
		case 'g':
			global = true
		case 'i':
			o.IgnoreCase = true
		case 'x':
			inline += "x"
		case 'p', 's':
			inline += "s"
		case 'n':
			skipEmpty = true
		case 'l':
		default:
			return "", nil, raise(letters + " is not a valid modifier string")
		}
	}
	if inline != "" {
		p = "(?" + inline + ")" + p
	}
	re, err := regex.Compile(p, o)
	if err != nil {
		return "", nil, raise("Regex failure: " + reworded(err))
	}
	text := []byte(s)
	for from := 0; from <= len(text); {
		loc, err := re.Find(text, from)
		if err != nil {
			return "", nil, raise(err.Error())
		}
		if loc == nil {
			break
		}
		if !skipEmpty || loc[0] < loc[1] {
			all = append(all, matched{append([]int{}, loc...), re.GroupNames()})
		}
		if !global {
			break
		}
		from = loc[1]
		if loc[0] == loc[1] {
			_, n := utf8.DecodeRune(text[from:])
			from += max(n, 1)
		}
	}
	return s, all, nil
}

// reworded is an error of ours in Oniguruma's words, where they are known.
func reworded(err error) string {
	switch err.Error() {
	case "missing closing parenthesis":
		return "end pattern with unmatched parenthesis"
	case "unmatched closing parenthesis":
		return "unmatched close parenthesis"
	case "missing terminating ] for character class":
		return "premature end of char-class"
	case "quantifier does not follow a repeatable item":
		return "target of repeat operator is not specified"
	}
	return err.Error()
}

// match returns all matches as objects.
func match(m *machine, in any, args []any) (any, error) {
	if _, ok := args[0].(string); !ok {
		return nil, raise(kind(args[0]) + " not a string or array")
	}
	s, all, err := find(in, args[0], args[1])
	if err != nil {
		return nil, err
	}
	list := make([]any, len(all))
	at := place{s: s}
	for i, x := range all {
		at.advance(x.loc[0])
		o := at.span(x.loc[0], x.loc[1])
		captures := []any{}
		for g := 1; g < len(x.loc)/2; g++ {
			c := at.span(x.loc[2*g], x.loc[2*g+1])
			c.set("name", nil)
			if x.names[g] != "" {
				c.set("name", x.names[g])
			}
			captures = append(captures, c)
		}
		o.set("captures", captures)
		list[i] = o
		if err := m.step(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// A place is where a match begins, in bytes and in characters: to count those from the beginning
// for each of many matches takes too long.
type place struct {
	s     string
	bytes int
	chars int
}

func (p *place) advance(to int) {
	p.chars += utf8.RuneCountInString(p.s[p.bytes:to])
	p.bytes = to
}

// count returns how many characters there are before a byte. Only a group in a look-behind is
// before the place.
func (p *place) count(to int) int {
	if to < p.bytes {
		return p.chars - utf8.RuneCountInString(p.s[to:p.bytes])
	}
	return p.chars + utf8.RuneCountInString(p.s[p.bytes:to])
}

// span describes text that was matched, by characters.
func (p *place) span(from, to int) *object {
	o := &object{}
	if from < 0 {
		o.set("offset", -1.0)
		o.set("length", 0.0)
		o.set("string", nil)
		return o
	}
	o.set("offset", float64(p.count(from)))
	o.set("length", float64(utf8.RuneCountInString(p.s[from:to])))
	o.set("string", p.s[from:to])
	return o
}

// substitute replaces matches by what with makes of their named groups: one string for each
// combination of results.
func substitute(pattern, flags, with expr) expr {
	return func(m *machine, e *env, in result, yield func(result) error) error {
		plain := result{v: in.v}
		return pattern(m, e, plain, func(p result) error {
			return flags(m, e, plain, func(f result) error {
				s, all, err := find(in.v, p.v, f.v)
				if err != nil {
					return err
				}
				var from func(i, pos int, done string) error
				from = func(i, pos int, done string) error {
					if i == len(all) {
						out := done + s[pos:]
						if err := m.made(out); err != nil {
							return err
						}
						return yield(in.computed(out))
					}
					x := all[i]
					return with(m, e, result{v: groups(s, x)}, func(r result) error {
						text, ok := r.v.(string)
						if !ok {
							return cannot(done+s[pos:x.loc[0]], r.v, "added")
						}
						return from(i+1, x.loc[1], done+s[pos:x.loc[0]]+text)
					})
				}
				return from(0, 0, "")
			})
		})
	}
}

// groups is an object of a match's named groups.
func groups(s string, x matched) *object {
	o := &object{}
	for g, name := range x.names {
		if name == "" {
			continue
		}
		if x.loc[2*g] < 0 {
			o.set(name, nil)
			continue
		}
		o.set(name, strings.Clone(s[x.loc[2*g]:x.loc[2*g+1]]))
	}
	return o
}
