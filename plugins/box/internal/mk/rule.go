package mk

import (
	"slices"
	"strings"
)

// A rule says how files are made.
type rule struct {
	targets  []string // with "%" in an implicit rule
	prereqs  []string
	order    []string // prerequisites whose time does not matter
	lines    []recipeLine
	double   bool // "::"
	builtin  bool
	stem     string // of a static pattern rule
	file     *file  // whose rule it is, nil for an implicit one
	terminal bool
}

type recipeLine struct {
	text  string
	where place
}

// addRecipe adds a line to the recipe. An earlier rule's recipe for the same target is of no use
// any more.
func (r *rule) addRecipe(text string, m *maker) {
	if len(r.lines) == 0 && r.file != nil && !r.double {
		for _, old := range r.file.rules {
			if old != r && len(old.lines) > 0 {
				m.env.Warn(m.where.String() + ": warning: overriding recipe for target '" + r.file.name + "'")
				m.env.Warn(old.lines[0].where.String() + ": warning: ignoring old recipe for target '" + r.file.name + "'")
				old.lines = nil
			}
		}
	}
	r.lines = append(r.lines, recipeLine{text, m.where})
}

// A file is something that may be made.
type file struct {
	name     string
	rules    []*rule
	target   bool // some rule has it as its target
	phony    bool
	precious bool
	vars     map[string]*variable

	state   int
	ok      bool
	changed bool // it was made, or counts as made
	blocked bool // a prerequisite failed
	made    *rule
}

// What has become of a file.
const (
	untouched = iota
	inProgress
	done
)

// recipe returns the lines that make the file.
func (f *file) recipe() []recipeLine {
	for _, r := range f.rules {
		if len(r.lines) > 0 {
			return r.lines
		}
	}
	if f.made != nil {
		return f.made.lines
	}
	return nil
}

// A patternVariable is for all targets that match.
type patternVariable struct {
	pattern string
	a       assignment
	origin  int
}

func (m *maker) file(name string) *file {
	f := m.files[name]
	if f == nil {
		f = &file{name: name}
		m.files[name] = f
	}
	return f
}

// rules reads a line with a rule, or with a variable of targets.
func (r *reader) rules(line string) {
	m := r.m
	colon := outside(line, ":=;")
	if colon < 0 || line[colon] != ':' {
		// It may be that only what it expands to is a rule.
		expanded := m.expand(line)
		if strings.TrimSpace(expanded) == "" {
			r.rule = nil
			return
		}
		if colon = strings.IndexByte(expanded, ':'); colon < 0 || expanded == line {
			if strings.HasPrefix(line, "        ") {
				m.fail("missing separator (did you mean TAB instead of 8 spaces?)")
			}
			m.fail("missing separator")
		}
		line = strings.ReplaceAll(expanded, "$", "$$")
		colon = outside(line, ":")
	}
	targets := strings.Fields(strings.ReplaceAll(m.expand(line[:colon]), "./", "\x00./"))
	for i, t := range targets {
		t = strings.ReplaceAll(t, "\x00./", "./")
		targets[i] = strings.TrimPrefix(t, "./")
	}
	rest := line[colon+1:]
	double := strings.HasPrefix(rest, ":")
	rest = strings.TrimPrefix(rest, ":")
	if len(targets) == 0 {
		if strings.TrimSpace(m.expand(line[:colon])) == "" && !strings.Contains(line[:colon], "$") {
			m.fail("missing target pattern")
		}
		r.rule = nil
		return
	}
	if r.targetVariable(targets, rest) {
		return
	}
	recipe, inline := "", false
	if semi := outside(rest, ";"); semi >= 0 {
		recipe, inline = strings.TrimLeft(rest[semi+1:], " \t"), true
		rest = rest[:semi]
	}
	rest = m.expand(rest)
	r.rule = nil
	if pattern, prereqs, ok := cutColon(rest); ok {
		r.static(targets, strings.TrimSpace(pattern), prereqs, double)
	} else {
		r.explicit(targets, rest, double)
	}
	r.any = true
	if inline {
		for _, rule := range r.rule {
			rule.addRecipe(recipe, m)
		}
	}
}

// cutColon splits the prerequisites of a static pattern rule.
func cutColon(s string) (pattern, prereqs string, ok bool) {
	i := strings.IndexByte(s, ':')
	if i < 0 {
		return "", "", false
	}
	return s[:i], s[i+1:], true
}

// targetVariable does "target: NAME = value". It reports false if the line is none such.
func (r *reader) targetVariable(targets []string, rest string) bool {
	m := r.m
	origin, exported := fromFile, false
	for {
		word, after := cutWord(rest)
		if word == "override" {
			origin = fromOverride
		} else if word == "export" {
			exported = true
		} else if word != "private" {
			break
		}
		rest = after
	}
	a, ok := parseAssignment(rest)
	if !ok || outside(rest[:max(0, strings.IndexByte(rest, '='))], ";") >= 0 {
		return false
	}
	for _, t := range targets {
		if strings.Contains(t, "%") {
			m.patterns = append(m.patterns, patternVariable{t, a, origin})
			continue
		}
		f := m.file(t)
		if f.vars == nil {
			f.vars = map[string]*variable{}
		}
		if v := m.set(a, origin, f.vars); exported {
			v.exported = true
		}
	}
	r.rule = nil
	return true
}

// split returns the prerequisites and those whose time does not matter.
func (m *maker) split(s string) (prereqs, order []string) {
	before, after, _ := strings.Cut(" "+s, " |")
	return m.names(before), m.names(after)
}

// names returns the files that words name.
func (m *maker) names(s string) []string {
	var list []string
	for _, w := range strings.Fields(s) {
		if strings.ContainsAny(w, "*?[") {
			if found := m.glob(w); len(found) > 0 {
				list = append(list, found...)
				continue
			}
		}
		list = append(list, strings.TrimPrefix(w, "./"))
	}
	return list
}

// static adds a rule for each target that matches a pattern.
func (r *reader) static(targets []string, pattern, rest string, double bool) {
	m := r.m
	if !strings.Contains(pattern, "%") {
		m.fail("target pattern contains no '%%'")
	}
	before, after, _ := strings.Cut(" "+rest, " |")
	for _, t := range targets {
		stem, ok := matchPattern(pattern, t)
		if !ok {
			m.env.Warn(m.where.String() + ": target '" + t + "' doesn't match the target pattern")
			continue
		}
		r.addTo(t, &rule{
			prereqs: m.names(strings.ReplaceAll(before, "%", stem)), order: m.names(strings.ReplaceAll(after, "%", stem)), stem: stem, double: double,
		})
	}
}

// explicit adds a rule for targets, or an implicit rule if they have a "%".
func (r *reader) explicit(targets []string, rest string, double bool) {
	m := r.m
	prereqs, order := m.split(rest)
	if strings.Contains(targets[0], "%") {
		if !strings.Contains(strings.Join(targets, ""), "%") {
			m.fail("mixed implicit and normal rules")
		}
		ir := &rule{targets: targets, prereqs: prereqs, order: order, terminal: double}
		m.addImplicit(ir)
		r.rule = []*rule{ir}
		return
	}
	for _, t := range targets {
		if r.builtinTarget(t, prereqs) {
			continue
		}
		if from, to, ok := m.suffixes(t); ok && len(prereqs) == 0 {
			ir := &rule{targets: []string{"%" + to}, prereqs: []string{"%" + from}}
			m.addImplicit(ir)
			r.rule = append(r.rule, ir)
			continue
		}
		r.addTo(t, &rule{prereqs: prereqs, order: order, double: double})
	}
	if r.rule == nil {
		r.rule = []*rule{{}} // a recipe of a special target is nobody's
	}
}

// addTo adds a rule to a target.
func (r *reader) addTo(target string, add *rule) {
	m := r.m
	f := m.file(target)
	f.target = true
	if m.value(".DEFAULT_GOAL") == "" && (target[0] != '.' || strings.Contains(target, "/")) {
		m.define(".DEFAULT_GOAL", target, true, fromFile)
	}
	add.file = f
	f.rules = append(f.rules, add)
	r.rule = append(r.rule, add)
}

// builtinTarget does what the names of special targets ask for.
func (r *reader) builtinTarget(target string, prereqs []string) bool {
	m := r.m
	switch target {
	case ".PHONY":
		for _, p := range prereqs {
			f := m.file(p)
			f.phony, f.target = true, true
		}
	case ".ONESHELL":
		m.oneShell = true
	case ".SILENT":
		m.silent = m.silent || len(prereqs) == 0
	case ".PRECIOUS", ".SECONDARY", ".INTERMEDIATE":
		for _, p := range prereqs {
			m.file(p).precious = true
		}
	case ".IGNORE":
		m.opts.ignoreErrors = m.opts.ignoreErrors || len(prereqs) == 0
	case ".DELETE_ON_ERROR":
		m.file(target).target = true
	case ".NOTPARALLEL", ".SUFFIXES", ".POSIX", ".LOW_RESOLUTION_TIME", ".SECONDEXPANSION", ".EXPORT_ALL_VARIABLES":
		if target == ".EXPORT_ALL_VARIABLES" {
			m.exportAll = true
		}
		if target == ".SUFFIXES" {
			m.setSuffixes(prereqs)
		}
	default:
		return false
	}
	return true
}

func (m *maker) setSuffixes(list []string) {
	value := strings.Join(list, " ")
	if len(list) > 0 {
		value = m.value(".SUFFIXES") + " " + value
	} else {
		m.implicit = slices.DeleteFunc(m.implicit, func(r *rule) bool { return r.builtin })
	}
	m.define(".SUFFIXES", value, false, fromFile)
}

// suffixes splits the name of an old suffix rule, such as ".c.o".
func (m *maker) suffixes(target string) (from, to string, ok bool) {
	if target[0] != '.' || strings.Contains(target, "/") {
		return "", "", false
	}
	known := strings.Fields(m.value(".SUFFIXES"))
	if slices.Contains(known, target) {
		return target, "", true
	}
	i := strings.IndexByte(target[1:], '.') + 1
	if i < 2 {
		return "", "", false
	}
	return target[:i], target[i:], slices.Contains(known, target[:i]) && slices.Contains(known, target[i:])
}

// addImplicit adds an implicit rule, in place of an equal one.
func (m *maker) addImplicit(r *rule) {
	for i, old := range m.implicit {
		if slices.Equal(old.targets, r.targets) && slices.Equal(old.prereqs, r.prereqs) {
			m.implicit[i] = r
			return
		}
	}
	builtin := slices.IndexFunc(m.implicit, func(r *rule) bool { return r.builtin })
	if builtin < 0 || r.builtin {
		m.implicit = append(m.implicit, r)
		return
	}
	m.implicit = slices.Insert(m.implicit, builtin, r)
}
