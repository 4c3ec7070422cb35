package jq

import (
	"io"
	"slices"
	"sort"
	"sync"
)

// specials returns the functions that take programs: they decide how often and on what these run.
// The map is shared.
func specials() map[string]func(args []expr) expr {
	fillSpecials.Do(makeSpecials)
	return specialTable
}

var (
	fillSpecials sync.Once // not whenever the box starts
	specialTable map[string]func(args []expr) expr
)

func makeSpecials() { // not a literal: some of them lead back to the table
	specialTable = map[string]func(args []expr) expr{
		"empty/0":       func([]expr) expr { return func(*machine, *env, result, func(result) error) error { return nil } },
		"error/0":       func([]expr) expr { return fail(identity) },
		"error/1":       func(args []expr) expr { return fail(args[0]) },
		"path/1":        func(args []expr) expr { return pathsOf(args[0]) },
		"select/1":      func(args []expr) expr { return choose(args[0]) },
		"recurse/0":     func([]expr) expr { return recurseAll },
		"recurse/1":     func(args []expr) expr { return recurse(args[0], nil) },
		"recurse/2":     func(args []expr) expr { return recurse(args[0], args[1]) },
		"while/2":       func(args []expr) expr { return recurse(args[1], args[0]) },
		"repeat/1":      func(args []expr) expr { return recurse(args[0], nil) },
		"until/2":       func(args []expr) expr { return until(args[0], args[1]) },
		"range/1":       func(args []expr) expr { return ranges(constant(0.0), args[0], constant(1.0)) },
		"range/2":       func(args []expr) expr { return ranges(args[0], args[1], constant(1.0)) },
		"range/3":       func(args []expr) expr { return ranges(args[0], args[1], args[2]) },
		"first/1":       func(args []expr) expr { return limit(constant(1.0), args[0]) },
		"limit/2":       func(args []expr) expr { return limit(args[0], args[1]) },
		"last/1":        func(args []expr) expr { return last(args[0]) },
		"isempty/1":     func(args []expr) expr { return isEmpty(args[0]) },
		"getpath/1":     func(args []expr) expr { return getPathOf(args[0]) },
		"input/0":       func([]expr) expr { return input },
		"inputs/0":      func([]expr) expr { return inputs },
		"debug/0":       func([]expr) expr { return debug },
		"stderr/0":      func([]expr) expr { return toStderr },
		"sort_by/1":     func(args []expr) expr { return keyed(args[0], "sorted", sortBy) },
		"group_by/1":    func(args []expr) expr { return keyed(args[0], "grouped", groupBy) },
		"unique_by/1":   func(args []expr) expr { return keyed(args[0], "grouped", uniqueBy) },
		"min_by/1":      func(args []expr) expr { return keyed(args[0], "iterated over", minBy) },
		"max_by/1":      func(args []expr) expr { return keyed(args[0], "iterated over", maxBy) },
		"walk/1":        func(args []expr) expr { return walk(args[0]) },
		"_substitute/3": func(args []expr) expr { return substitute(args[0], args[1], args[2]) },
	}
}

// fail raises what x yields. A null is no error, but no result either.
func fail(x expr) expr {
	return func(m *machine, e *env, in result, _ func(result) error) error {
		return x(m, e, result{v: in.v}, func(r result) error {
			if r.v == nil {
				return nil
			}
			return &raised{r.v}
		})
	}
}

func pathsOf(x expr) expr {
	return func(m *machine, e *env, in result, yield func(result) error) error {
		return paths(m, e, x, in.v, func(keys []any, _ result) error { return yield(in.computed(keys)) })
	}
}

func choose(cond expr) expr {
	return func(m *machine, e *env, in result, yield func(result) error) error {
		return cond(m, e, result{v: in.v}, func(r result) error {
			if !truth(r.v) {
				return nil
			}
			return yield(in)
		})
	}
}

// recurse yields its input, and the same for all that f makes of it, while cond holds. The last of
// them takes no further level of calls, so that a chain may be long.
func recurse(f, cond expr) expr {
	var self expr
	self = func(m *machine, e *env, in result, yield func(result) error) error {
		if err := m.enter(); err != nil {
			return err
		}
		defer m.leave()
		for {
			if cond != nil {
				r, ok, err := first(m, e, cond, in.v)
				if err != nil || !ok || !truth(r) {
					return err
				}
			}
			if err := yield(in); err != nil {
				return err
			}
			var held result
			holding := false
			err := f(m, e, in, func(r result) error {
				if holding {
					if err := self(m, e, held, yield); err != nil {
						return err
					}
				}
				held, holding = r, true
				return nil
			})
			if err != nil {
				if _, ok := err.(*raised); ok && holding { // what came before the error counts
					if err := self(m, e, held, yield); err != nil {
						return err
					}
				}
				return err
			}
			if !holding {
				return nil
			}
			in = held
			if err := m.step(); err != nil {
				return err
			}
		}
	}
	return self
}

func until(cond, update expr) expr {
	return func(m *machine, e *env, in result, yield func(result) error) error {
		for {
			done, ok, err := first(m, e, cond, in.v)
			if err != nil || !ok {
				return err
			}
			if truth(done) {
				return yield(in)
			}
			next, ok, err := first(m, e, update, in.v)
			if err != nil || !ok {
				return err
			}
			in = in.computed(next)
			if err := m.step(); err != nil {
				return err
			}
		}
	}
}

// ranges counts from each start to each end.
func ranges(from, to, by expr) expr {
	return func(m *machine, e *env, in result, yield func(result) error) error {
		plain := result{v: in.v}
		return from(m, e, plain, func(f result) error {
			return to(m, e, plain, func(t result) error {
				return by(m, e, plain, func(b result) error {
					start, ok := f.v.(float64)
					end, ok2 := t.v.(float64)
					step, ok3 := b.v.(float64)
					if !ok || !ok2 || !ok3 {
						return raise("Range bounds must be numeric")
					}
					for ; step > 0 && start < end || step < 0 && start > end || step == 0 && start < end; start += step {
						if err := m.step(); err != nil {
							return err
						}
						if err := yield(in.computed(start)); err != nil {
							return err
						}
					}
					return nil
				})
			})
		})
	}
}

// limit yields the first few results of x: all of them for a negative number, and as jq 1.6 one for
// none.
func limit(count, x expr) expr {
	return func(m *machine, e *env, in result, yield func(result) error) error {
		return count(m, e, result{v: in.v}, func(c result) error {
			n, ok := c.v.(float64)
			if !ok {
				return cannot(c.v, 1.0, "subtracted")
			}
			if n < 0 {
				return x(m, e, in, yield)
			}
			enough := &leaving{}
			err := x(m, e, in, func(r result) error {
				n--
				if err := yield(r); err != nil {
					return err
				}
				if n <= 0 {
					return enough
				}
				return nil
			})
			if err == error(enough) {
				return nil
			}
			return err
		})
	}
}

func last(x expr) expr {
	return func(m *machine, e *env, in result, yield func(result) error) error {
		var held result
		some := false
		err := x(m, e, in, func(r result) error {
			held, some = r, true
			return nil
		})
		if err != nil {
			return err
		}
		if !some {
			return yield(in.computed(nil))
		}
		return yield(held)
	}
}

func isEmpty(x expr) expr {
	return func(m *machine, e *env, in result, yield func(result) error) error {
		_, some, err := first(m, e, x, in.v)
		if err != nil {
			return err
		}
		return yield(in.computed(!some))
	}
}

func getPathOf(x expr) expr {
	return func(m *machine, e *env, in result, yield func(result) error) error {
		return x(m, e, result{v: in.v}, func(r result) error {
			keys, ok := r.v.([]any)
			if !ok {
				return raise("Path must be specified as an array")
			}
			v, err := getPath(in.v, keys)
			if err != nil {
				return err
			}
			out := in
			for _, k := range keys {
				out = out.found(nil, k)
			}
			out.v = v
			return yield(out)
		})
	}
}

func input(m *machine, _ *env, in result, yield func(result) error) error {
	v, err := m.inputs()
	if err == io.EOF {
		return raise("break")
	}
	if err != nil {
		return raise(err.Error())
	}
	return yield(in.computed(v))
}

func inputs(m *machine, _ *env, in result, yield func(result) error) error {
	for {
		v, err := m.inputs()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return raise(err.Error())
		}
		if err := yield(in.computed(v)); err != nil {
			return err
		}
	}
}

func debug(m *machine, _ *env, in result, yield func(result) error) error {
	m.env.Warn(text([]any{"DEBUG:", in.v}))
	return yield(in)
}

func toStderr(m *machine, _ *env, in result, yield func(result) error) error {
	m.env.Out.Flush()
	io.WriteString(m.env.Stderr, text(in.v))
	return yield(in)
}

// An entry is an item and what it is ordered by.
type entry struct{ key, item any }

// sortEntries keeps those with equal keys in order.
func sortEntries(entries []entry) {
	sort.SliceStable(entries, func(i, j int) bool { return compareEntries(entries[i], entries[j]) < 0 })
}

func compareEntries(a, b entry) int { return compare(a.key, b.key) }

// keyed calls use with all items of the input and their keys, which are arrays of all that x
// yields.
func keyed(x expr, verb string, use func([]entry) any) expr {
	return func(m *machine, e *env, in result, yield func(result) error) error {
		a, ok := in.v.([]any)
		if !ok {
			if _, isObject := in.v.(*object); isObject {
				return raise(describe(in.v) + " and array ([]) cannot be " + verb + ", as they are not both arrays")
			}
			return raise("Cannot iterate over " + describe(in.v))
		}
		entries := make([]entry, len(a))
		for i, item := range a {
			key := []any{}
			err := x(m, e, result{v: item}, func(r result) error {
				key = append(key, r.v)
				return m.grown(len(key))
			})
			if err != nil {
				return err
			}
			entries[i] = entry{key, item}
		}
		return yield(in.computed(use(entries)))
	}
}

func sortBy(entries []entry) any {
	sortEntries(entries)
	list := make([]any, len(entries))
	for i, e := range entries {
		list[i] = e.item
	}
	return list
}

func groupBy(entries []entry) any {
	sortEntries(entries)
	groups := []any{}
	var group []any
	for i, e := range entries {
		group = append(group, e.item)
		if i+1 == len(entries) || !equal(e.key, entries[i+1].key) {
			groups = append(groups, group)
			group = nil
		}
	}
	return groups
}

func uniqueBy(entries []entry) any {
	sortEntries(entries)
	list := []any{}
	for i, e := range entries {
		if i == 0 || !equal(e.key, entries[i-1].key) {
			list = append(list, e.item)
		}
	}
	return list
}

func minBy(entries []entry) any {
	if len(entries) == 0 {
		return nil
	}
	return slices.MinFunc(entries, compareEntries).item
}

// maxBy returns the last of the largest.
func maxBy(entries []entry) any {
	if len(entries) == 0 {
		return nil
	}
	best := entries[0]
	for _, e := range entries[1:] {
		if compareEntries(e, best) >= 0 {
			best = e
		}
	}
	return best.item
}

// walk puts all values through f, the inner ones first.
func walk(f expr) expr {
	var self expr
	self = func(m *machine, e *env, in result, yield func(result) error) error {
		if err := m.enter(); err != nil {
			return err
		}
		defer m.leave()
		v := in.v
		switch outer := in.v.(type) {
		case []any:
			list := []any{}
			for _, item := range outer {
				err := self(m, e, result{v: item}, func(r result) error {
					list = append(list, r.v)
					return m.grown(len(list))
				})
				if err != nil {
					return err
				}
			}
			v = list
		case *object:
			o := &object{}
			for i, k := range outer.keys {
				r, ok, err := first(m, e, self, outer.values()[i])
				if err != nil {
					return err
				}
				if ok {
					o.set(k, r)
				}
			}
			v = o
		}
		return f(m, e, result{v: v}, func(r result) error { return yield(in.computed(r.v)) })
	}
	return self
}
