package mk

import (
	"math"
	"slices"
	"strings"
	"time"
)

// maxUpdate is how deep files may need each other.
const maxUpdate = 2_000

// update makes f if it is out of date, after what it needs. It reports whether that went well.
func (m *maker) update(f *file, parent *file) bool {
	if f.state == done {
		return f.ok
	}
	if m.updates++; m.updates > maxUpdate {
		m.fail("files need each other too deep")
	}
	m.limit(0)
	f.state = inProgress
	outer := m.special
	m.enter(f)
	f.ok = m.make(f, parent)
	m.special = outer
	f.state = done
	m.updates--
	return f.ok
}

// enter makes the variables of a target known.
func (m *maker) enter(f *file) {
	vars := map[string]*variable{}
	for _, p := range m.patterns {
		if _, ok := matchPattern(p.pattern, f.name); ok {
			m.set(p.a, p.origin, vars)
		}
	}
	for name, v := range f.vars {
		vars[name] = v
	}
	if len(vars) > 0 {
		m.special = &scope{up: m.special, vars: vars}
	}
}

// make makes f by each of its "::" rules, or by all of its rules as one.
func (m *maker) make(f *file, parent *file) bool {
	if len(f.rules) > 0 && f.rules[0].double {
		ok := true
		for _, r := range f.rules {
			if !m.apply(f, r, parent) {
				ok = false
				if !m.opts.keepGoing {
					break
				}
			}
		}
		return ok
	}
	whole := &rule{}
	for _, r := range f.rules {
		if len(r.lines) > 0 { // what the recipe's rule needs comes first
			whole.prereqs = append(slices.Clone(r.prereqs), whole.prereqs...)
			whole.lines, whole.stem = r.lines, r.stem
		} else {
			whole.prereqs = append(whole.prereqs, r.prereqs...)
		}
		whole.order = append(whole.order, r.order...)
	}
	if whole.lines == nil && !f.phony {
		if r := m.findRule(f, 0); r != nil {
			f.made = r
			whole.prereqs = append(slices.Clone(r.prereqs), whole.prereqs...)
			whole.order = append(whole.order, r.order...)
			whole.lines, whole.stem = r.lines, r.stem
		}
	}
	return m.apply(f, whole, parent)
}

// apply brings f up to date by one rule.
func (m *maker) apply(f *file, r *rule, parent *file) bool {
	modified, exists := m.modified(f.name)
	if !exists && len(r.lines) == 0 && !f.target && len(r.prereqs) == 0 {
		return m.noRule(f, parent)
	}
	must := !exists || f.phony || m.opts.always || r.double && len(r.prereqs) == 0
	ok := true
	var newer []string
	for i, name := range slices.Concat(r.prereqs, r.order) {
		p := m.file(name)
		if p.state == inProgress {
			m.say("Circular %s <- %s dependency dropped.", f.name, name)
			continue
		}
		if !m.update(p, f) {
			ok = false
			if !m.opts.keepGoing {
				f.blocked = true
				return false
			}
			continue
		}
		if i >= len(r.prereqs) {
			continue
		}
		when, there := m.modified(name)
		if p.changed || !there || when.After(modified) || !exists {
			newer = append(newer, name)
			must = true
		}
	}
	if !ok {
		f.blocked = true
		return false
	}
	if !must {
		return true
	}
	f.changed = true
	if len(r.lines) == 0 {
		return true
	}
	return m.runRecipe(f, r, newer)
}

func (m *maker) noRule(f *file, parent *file) bool {
	text := "No rule to make target '" + f.name + "'"
	if parent != nil {
		text += ", needed by '" + parent.name + "'"
	}
	if m.opts.keepGoing {
		m.say("*** %s.", text)
		return false
	}
	m.where = place{}
	m.fail("%s", text)
	return false
}

// modified returns when a file was changed, and whether it is there.
func (m *maker) modified(name string) (time.Time, bool) {
	fi, err := m.env.Stat(name)
	if err != nil {
		return time.Unix(math.MinInt32, 0), false
	}
	return fi.ModTime(), true
}

// automatic are the variables of a recipe.
func (m *maker) automatic(f *file, r *rule, newer []string) map[string]*variable {
	unique := func(list []string) []string {
		var out []string
		for _, name := range list {
			if !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
		return out
	}
	stem := r.stem
	if stem == "" {
		for suffix := range strings.FieldsSeq(m.value(".SUFFIXES")) {
			if s, ok := strings.CutSuffix(f.name, suffix); ok {
				stem = s
				break
			}
		}
	}
	order := slices.DeleteFunc(unique(r.order), func(name string) bool { return slices.Contains(r.prereqs, name) })
	vars := map[string]*variable{}
	for name, value := range map[string]string{
		"@": f.name, "*": stem, "<": nth(r.prereqs, 0), "^": strings.Join(unique(r.prereqs), " "), "+": strings.Join(r.prereqs, " "),
		"?": strings.Join(unique(newer), " "), "|": strings.Join(order, " "),
	} {
		vars[name] = &variable{value: value, origin: fromAutomatic}
	}
	return vars
}
