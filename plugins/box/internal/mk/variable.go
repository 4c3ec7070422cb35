package mk

import (
	"strconv"
	"strings"
)

// A variable has a value that is expanded where it is used, or was where it was set.
type variable struct {
	value     string
	recursive bool // expanded where it is used
	origin    int
	where     place
	exported  bool
	hidden    bool // unexported
	expanding bool
}

// Where a variable is from, from what yields to what does not.
const (
	fromDefault = iota
	fromEnvironment
	fromFile
	fromEnvironmentOverride
	fromCommandLine
	fromOverride
	fromAutomatic
)

var originNames = []string{"default", "environment", "file", "environment override", "command line", "override", "automatic"}

// A scope holds the variables of a target, which its prerequisites see too.
type scope struct {
	up   *scope
	vars map[string]*variable
}

func (m *maker) lookup(name string) *variable {
	for s := m.special; s != nil; s = s.up {
		if v := s.vars[name]; v != nil {
			return v
		}
	}
	return m.vars[name]
}

// define sets a global variable, unless one of a stronger origin is there.
//
//go:noinline
func (m *maker) define(name, value string, recursive bool, origin int) *variable {
	return m.defineIn(m.vars, name, value, recursive, origin)
}

//go:noinline
func (m *maker) defineIn(vars map[string]*variable, name, value string, recursive bool, origin int) *variable {
	old := vars[name]
	if old != nil && old.origin > origin {
		return old
	}
	v := &variable{value: value, recursive: recursive, origin: origin, where: m.where}
	if old != nil {
		v.exported, v.hidden = old.exported, old.hidden
		if old.origin == fromEnvironment || old.origin == fromCommandLine {
			v.exported = true
		}
	}
	vars[name] = v
	return v
}

// builtin sets what is there before any makefile is read.
func (m *maker) builtin() {
	for name, value := range map[string]string{
		"AR": "ar", "ARFLAGS": "rv", "AS": "as", "CC": "cc", "CXX": "g++", "CPP": "$(CC) -E", "FC": "f77", "LD": "ld", "LEX": "lex", "YACC": "yacc", "RM": "rm -f",
		"COMPILE.c": "$(CC) $(CFLAGS) $(CPPFLAGS) $(TARGET_ARCH) -c", "COMPILE.cc": "$(CXX) $(CXXFLAGS) $(CPPFLAGS) $(TARGET_ARCH) -c",
		"LINK.c": "$(CC) $(CFLAGS) $(CPPFLAGS) $(LDFLAGS) $(TARGET_ARCH)", "LINK.cc": "$(CXX) $(CXXFLAGS) $(CPPFLAGS) $(LDFLAGS) $(TARGET_ARCH)",
		"LINK.o": "$(CC) $(LDFLAGS) $(TARGET_ARCH)", "OUTPUT_OPTION": "-o $@",
		"MAKE": "$(MAKE_COMMAND)", "MAKE_COMMAND": "make", "MAKE_VERSION": "4.3", "MAKE_HOST": "x86_64-pc-linux-gnu", ".SHELLFLAGS": "-c",
		".SUFFIXES": ".out .a .ln .o .c .cc .C .cpp .p .f .F .m .r .y .l .s .S .sh .h .txt", ".RECIPEPREFIX": "", ".FEATURES": "else-if order-only oneshell",
	} {
		m.define(name, value, true, fromDefault)
	}
	origin := fromEnvironment
	if m.opts.environment {
		origin = fromEnvironmentOverride
	}
	for _, kv := range m.env.Environ {
		if name, value, _ := strings.Cut(kv, "="); name != "SHELL" && name != "MAKEFLAGS" && name != "MAKELEVEL" {
			m.define(name, value, true, origin).exported = true
		}
	}
	m.define("SHELL", "/bin/sh", false, fromFile)
	m.define("CURDIR", m.env.Dir, false, fromFile)
	m.define("MAKEFILE_LIST", "", false, fromFile)
	m.define("MAKELEVEL", strconv.Itoa(m.level), false, fromFile)
	m.define("MAKECMDGOALS", strings.Join(m.opts.goals, " "), false, fromFile)
	m.define("MAKEFLAGS", strings.TrimLeft(m.opts.flags(), " "), false, fromFile)
	for _, a := range m.opts.assignments {
		m.assign(a, fromCommandLine, m.vars)
	}
	if !m.opts.noBuiltin {
		m.builtinRules()
	}
}

// An assignment is a line such as "NAME += value".
type assignment struct {
	name, op, value string
}

// parseAssignment reads a line as an assignment, if it is one and no rule.
func parseAssignment(line string) (a assignment, ok bool) {
	line = strings.TrimLeft(line, " \t")
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case c == '$':
			i += referenceLength(line[i:]) - 1
		case c == '#':
			return a, false
		case c == '=':
			return assignment{strings.TrimSpace(line[:i]), "=", strings.TrimLeft(line[i+1:], " \t")}, true
		case strings.IndexByte(":?+!", c) >= 0:
			for _, op := range []string{"::=", ":=", "?=", "+=", "!="} {
				if strings.HasPrefix(line[i:], op) {
					return assignment{strings.TrimSpace(line[:i]), op, strings.TrimLeft(line[i+len(op):], " \t")}, true
				}
			}
			if c == ':' {
				return a, false
			}
		case c == ' ' || c == '\t':
			rest := strings.TrimLeft(line[i:], " \t")
			for _, op := range []string{"=", ":=", "::=", "?=", "+=", "!="} {
				if strings.HasPrefix(rest, op) {
					return assignment{line[:i], op, strings.TrimLeft(rest[len(op):], " \t")}, true
				}
			}
			return a, false
		}
	}
	return a, false
}

// assign does a line that is an assignment. It reports false if it is none.
func (m *maker) assign(line string, origin int, vars map[string]*variable) bool {
	a, ok := parseAssignment(line)
	if !ok {
		return false
	}
	m.set(a, origin, vars)
	return true
}

func (m *maker) set(a assignment, origin int, vars map[string]*variable) *variable {
	name := strings.TrimSpace(m.expand(a.name))
	if name == "" {
		m.fail("empty variable name")
	}
	old := vars[name]
	if old == nil {
		old = m.lookup(name)
	}
	switch a.op {
	case "=":
		return m.defineIn(vars, name, a.value, true, origin)
	case "?=":
		if old != nil {
			return old
		}
		return m.defineIn(vars, name, a.value, true, origin)
	case "!=":
		return m.defineIn(vars, name, m.shellOutput(m.expand(a.value)), true, origin)
	case "+=":
		if old == nil {
			return m.defineIn(vars, name, a.value, true, origin)
		}
		value := a.value
		if !old.recursive {
			value = m.expand(value)
		}
		if old.value != "" {
			value = old.value + " " + value
		}
		m.limit(len(value))
		return m.defineIn(vars, name, value, old.recursive, origin)
	}
	return m.defineIn(vars, name, m.expand(a.value), false, origin)
}

// environ returns the environment of recipes.
func (m *maker) environ() []string {
	environ := make([]string, 0, len(m.env.Environ)+4)
	seen := map[string]bool{"MAKELEVEL": true, "MAKEFLAGS": true, "SHELL": true}
	add := func(name string, v *variable) {
		if seen[name] || v.hidden || !(v.exported || m.exportAll && v.origin >= fromFile && isShellName(name) || v.origin == fromCommandLine) {
			return
		}
		seen[name] = true
		environ = append(environ, name+"="+m.valueOf(name, v))
	}
	for s := m.special; s != nil; s = s.up {
		for name, v := range s.vars {
			if global := m.vars[name]; global != nil && global.exported {
				v.exported = true
			}
			add(name, v)
		}
	}
	for name, v := range m.vars {
		add(name, v)
	}
	if shell, ok := m.env.LookupEnv("SHELL"); ok {
		environ = append(environ, "SHELL="+shell)
	}
	return append(environ, "MAKELEVEL="+strconv.Itoa(m.level+1), "MAKEFLAGS="+m.opts.flags())
}

func isShellName(name string) bool {
	for i := range len(name) {
		if c := name[i]; c != '_' && !(c|0x20 >= 'a' && c|0x20 <= 'z') && !(i > 0 && c >= '0' && c <= '9') {
			return false
		}
	}
	return name != ""
}
