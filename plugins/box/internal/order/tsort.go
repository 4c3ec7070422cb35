package order

import (
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// A thing of tsort, with those that must come after it.
type thing struct {
	name   string
	after  []*thing
	before int // how many must come before it and were not written yet
	done   bool
}

func tsort(env *tool.Env, args []string) int {
	opts, status := env.Options(args, "")
	if opts == nil {
		return status
	}
	name := "-"
	if len(opts.Operands) > 0 {
		name = opts.Operands[0]
	}
	if len(opts.Operands) > 1 {
		return env.UsageError("extra operand %s", env.Quote(opts.Operands[1]))
	}
	p, err := env.ReadFile(name)
	if err != nil {
		env.FileError(name, err)
		return 1
	}
	if err := tool.Keep(len(p) * tool.SizeOfLine / 2); err != nil { // as many words as there may be
		env.Errorf("%v", err)
		return 1
	}
	words := strings.Fields(string(p))
	if len(words)%2 != 0 {
		env.Errorf("%s: input contains an odd number of tokens", tool.QuoteName(name))
		return 1
	}
	byName := map[string]*thing{}
	var all []*thing
	get := func(name string) *thing {
		if t := byName[name]; t != nil {
			return t
		}
		t := &thing{name: name}
		byName[name] = t
		all = append(all, t)
		return t
	}
	for i := 0; i < len(words); i += 2 {
		a, b := get(words[i]), get(words[i+1])
		if a != b {
			a.after = append(a.after, b)
			b.before++
		}
	}
	return writeOrder(env, name, all)
}

// writeOrder writes things whose predecessors were all written, and breaks loops where there are
// none.
func writeOrder(env *tool.Env, name string, all []*thing) int {
	status, left := 0, len(all)
	var queue []*thing
	for _, t := range all {
		if t.before == 0 {
			queue = append(queue, t)
		}
	}
	for left > 0 && !env.Stopped() {
		if len(queue) == 0 {
			status = 1
			queue = append(queue, breakLoop(env, name, all))
		}
		t := queue[0]
		queue = queue[1:]
		t.done = true
		left--
		env.Out.WriteString(t.name + "\n")
		// The order of GNU's: the relation given last is looked at first.
		for i := len(t.after) - 1; i >= 0; i-- {
			next := t.after[i]
			if next.before--; next.before == 0 && !next.done {
				queue = append(queue, next)
			}
		}
	}
	return status
}

// breakLoop reports a loop and returns a thing of it to go on with.
func breakLoop(env *tool.Env, name string, all []*thing) *thing {
	env.Errorf("%s: input contains a loop:", tool.QuoteName(name))
	var t *thing
	for _, t = range all {
		if !t.done {
			break
		}
	}
	seen := map[*thing]bool{}
	for !seen[t] {
		seen[t] = true
		for _, next := range t.after {
			if !next.done {
				t = next
				break
			}
		}
	}
	first := t
	for {
		env.Errorf("%s", t.name)
		for _, next := range t.after {
			if !next.done {
				t = next
				break
			}
		}
		if t == first {
			t.before = 0
			return t
		}
	}
}
