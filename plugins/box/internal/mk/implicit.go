package mk

import (
	"slices"
	"strings"
)

// builtinRules are those that makefiles lean on.
func (m *maker) builtinRules() {
	for _, r := range []struct{ target, prereq, recipe string }{
		{"%.o", "%.c", "$(COMPILE.c) $(OUTPUT_OPTION) $<"},
		{"%.o", "%.cc", "$(COMPILE.cc) $(OUTPUT_OPTION) $<"},
		{"%.o", "%.cpp", "$(COMPILE.cc) $(OUTPUT_OPTION) $<"},
		{"%", "%.o", "$(LINK.o) $^ $(LOADLIBES) $(LDLIBS) -o $@"},
		{"%", "%.c", "$(LINK.c) $^ $(LOADLIBES) $(LDLIBS) -o $@"},
		{"%", "%.cc", "$(LINK.cc) $^ $(LOADLIBES) $(LDLIBS) -o $@"},
		{"%", "%.cpp", "$(LINK.cc) $^ $(LOADLIBES) $(LDLIBS) -o $@"},
		{"%", "%.sh", "cat $< >$@ \n chmod a+x $@"},
	} {
		add := &rule{targets: []string{r.target}, prereqs: []string{r.prereq}, builtin: true}
		for line := range strings.SplitSeq(r.recipe, "\n") {
			add.lines = append(add.lines, recipeLine{text: strings.TrimLeft(line, " "), where: place{"<builtin>", 0}})
		}
		m.implicit = append(m.implicit, add)
	}
}

// maxChain is how many implicit rules may follow from each other.
const maxChain = 4

// findRule returns the implicit rule that makes f, with its patterns filled in, or nil. The
// shortest stem wins.
func (m *maker) findRule(f *file, chain int) *rule {
	if chain > maxChain {
		return nil
	}
	var best *rule
	for pass := range 2 { // first without making prerequisites by further implicit rules
		for _, r := range m.implicit {
			m.limit(0)
			for _, pattern := range r.targets {
				if pattern == "%" && r.builtin && (chain > 0 || pass > 0) {
					continue // what makes anything is the last resort, and for goals only
				}
				if filled := m.fill(r, pattern, f, chain, pass > 0); filled != nil && (best == nil || len(filled.stem) < len(best.stem)) {
					best = filled
				}
			}
		}
		if best != nil {
			return best
		}
	}
	return nil
}

// fill returns a rule for f, if its prerequisites are there or can be made.
func (m *maker) fill(r *rule, pattern string, f *file, chain int, further bool) *rule {
	name, dir := f.name, ""
	if !strings.Contains(pattern, "/") {
		dir = strings.TrimSuffix(f.name, notDir(f.name))
		name = notDir(f.name)
	}
	stem, ok := matchPattern(pattern, name)
	if !ok || stem == "" || len(r.lines) == 0 {
		return nil
	}
	with := func(list []string) []string {
		out := make([]string, len(list))
		for i, p := range list {
			out[i] = p
			if strings.Contains(p, "%") {
				out[i] = dir + strings.Replace(p, "%", stem, 1)
			}
		}
		return out
	}
	prereqs := with(r.prereqs)
	for _, p := range prereqs {
		known := m.files[p]
		switch {
		case known != nil && known.target, m.exists(p), slices.Contains(m.explicitPrereqs(f), p):
		case further && !r.terminal && p != f.name && m.findRule(&file{name: p}, chain+1) != nil:
		default:
			return nil
		}
	}
	filled := *r
	filled.prereqs, filled.order, filled.stem = prereqs, with(r.order), dir+stem
	return &filled
}

func (m *maker) explicitPrereqs(f *file) []string {
	var list []string
	for _, r := range f.rules {
		list = append(list, r.prereqs...)
	}
	return list
}

func (m *maker) exists(name string) bool {
	_, err := m.env.Stat(name)
	return err == nil
}
