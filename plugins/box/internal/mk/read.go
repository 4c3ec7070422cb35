package mk

import (
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// A reader reads one makefile, line by line.
type reader struct {
	m     *maker
	lines []string
	next  int // index of the next line
	conds []condition
	rule  []*rule // whose recipe may follow, nil before the first rule
	any   bool    // there was a rule
}

// A condition is an ifeq or the like that is not closed.
type condition struct {
	skip bool // the lines are not for us
	done bool // one of the branches was
	last bool // "else" without a condition was seen
}

// maxIncludes is how deep makefiles may include each other.
const maxIncludes = 50

// read reads a makefile. Its text may also be from $(eval).
func (m *maker) read(name, text string) {
	where := m.where
	defer func() { m.where = where }()
	if name != "" {
		m.define("MAKEFILE_LIST", strings.TrimLeft(m.value("MAKEFILE_LIST")+" "+name, " "), false, fromFile)
	}
	r := &reader{m: m, lines: strings.Split(strings.TrimSuffix(text, "\n"), "\n")}
	for r.next < len(r.lines) {
		if name != "" {
			m.where = place{name, r.next + 1}
		}
		m.limit(0)
		r.line()
	}
	if name != "" {
		m.where = place{name, r.next + 1}
	}
	if len(r.conds) > 0 {
		m.fail("missing 'endif'")
	}
}

// eval reads text as a part of the makefile.
func (m *maker) eval(text string) {
	if m.depth++; m.depth > maxDepth {
		m.fail("expansions are nested too deep")
	}
	defer func() { m.depth-- }()
	where := m.where
	defer func() { m.where = where }()
	r := &reader{m: m, lines: strings.Split(strings.TrimSuffix(text, "\n"), "\n")}
	for r.next < len(r.lines) {
		m.limit(0)
		r.line()
	}
	if len(r.conds) > 0 {
		m.fail("missing 'endif'")
	}
}

// logical returns the next line with those that continue it, joined as they are outside of recipes.
func (r *reader) logical() string {
	line := r.physical()
	if !strings.Contains(line, "\n") {
		return line
	}
	parts := strings.Split(line, "\n")
	for i := range parts {
		if i > 0 {
			parts[i] = strings.TrimLeft(parts[i], " \t")
		}
		if i < len(parts)-1 {
			parts[i] = strings.TrimRight(strings.TrimSuffix(parts[i], `\`), " \t")
		}
	}
	return strings.Join(parts, " ")
}

// physical returns the next line with those that continue it, as they are written.
func (r *reader) physical() string {
	line := strings.TrimSuffix(r.lines[r.next], "\r")
	r.next++
	for continues(line) && r.next < len(r.lines) {
		line += "\n" + strings.TrimSuffix(r.lines[r.next], "\r")
		r.next++
	}
	return line
}

// continues reports whether a line ends in a backslash that no other one takes away.
func continues(line string) bool {
	n := len(line) - len(strings.TrimRight(line, `\`))
	return n%2 == 1
}

func (r *reader) skipping() bool {
	for _, c := range r.conds {
		if c.skip {
			return true
		}
	}
	return false
}

// line reads one logical line and does what it says.
func (r *reader) line() {
	m := r.m
	if strings.HasPrefix(r.lines[r.next], "\t") && (r.rule != nil || !r.any) {
		recipe := r.physical()
		if r.skipping() {
			return
		}
		if r.rule != nil {
			for _, rule := range r.rule {
				rule.addRecipe(recipe[1:], m)
			}
			return
		}
		if strings.TrimSpace(stripComment(recipe)) == "" {
			return
		}
		if _, ok := parseAssignment(recipe); !ok {
			m.fail("recipe commences before first target")
		}
		m.assign(stripComment(recipe), fromFile, m.vars)
		return
	}
	line := r.logical()
	word, rest := cutWord(line)
	if r.conditional(word, rest) || r.skipping() {
		return
	}
	if word == "define" || word == "override" && strings.HasPrefix(rest, "define") {
		r.define(line)
		return
	}
	if _, ok := parseAssignment(stripComment(line)); ok && !r.isModifier(word) {
		m.assign(stripComment(line), fromFile, m.vars)
		r.rule = nil
		return
	}
	line = stripComment(line)
	if strings.TrimSpace(line) == "" {
		return
	}
	if r.directive(word, strings.TrimSpace(stripComment(rest))) {
		r.rule = nil
		return
	}
	r.rules(line)
}

// isModifier reports whether a word may be before an assignment.
func (r *reader) isModifier(word string) bool {
	return word == "export" || word == "override" || word == "unexport" || word == "private"
}

// cutWord returns the first word of a line, and the rest.
func cutWord(line string) (word, rest string) {
	line = strings.TrimLeft(line, " \t")
	i := strings.IndexAny(line, " \t(")
	if i < 0 {
		return line, ""
	}
	if line[i] == '(' {
		return line[:i], line[i:]
	}
	return line[:i], strings.TrimLeft(line[i:], " \t")
}

// stripComment cuts a line at "#", unless there is a backslash before.
func stripComment(line string) string {
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '$':
			if n := referenceLength(line[i:]); n > 2 {
				i += n - 1
			}
		case '#':
			if i == 0 || line[i-1] != '\\' {
				return line[:i]
			}
			line = line[:i-1] + line[i:]
			i--
		}
	}
	return line
}

// conditional does ifeq and the like. It reports false if the line is none of them.
func (r *reader) conditional(word, rest string) bool {
	m := r.m
	switch word {
	case "ifeq", "ifneq", "ifdef", "ifndef":
		if r.skipping() {
			r.conds = append(r.conds, condition{skip: true, done: true})
			return true
		}
		ok := r.test(word, rest)
		r.conds = append(r.conds, condition{skip: !ok, done: ok})
	case "else":
		if len(r.conds) == 0 {
			m.fail("extraneous 'else'")
		}
		c := &r.conds[len(r.conds)-1]
		if c.last {
			m.fail("only one 'else' per conditional")
		}
		next, rest := cutWord(stripComment(rest))
		if next == "" {
			c.last, c.skip = true, c.done
			c.done = true
			return true
		}
		if c.done {
			c.skip = true
			return true
		}
		if next != "ifeq" && next != "ifneq" && next != "ifdef" && next != "ifndef" {
			m.fail("extraneous text after 'else' directive")
		}
		ok := r.test(next, rest)
		c.skip, c.done = !ok, ok
	case "endif":
		if len(r.conds) == 0 {
			m.fail("extraneous 'endif'")
		}
		r.conds = r.conds[:len(r.conds)-1]
	default:
		return false
	}
	return true
}

func (r *reader) test(word, rest string) bool {
	m := r.m
	rest = strings.TrimSpace(stripComment(rest))
	if word == "ifdef" || word == "ifndef" {
		v := m.lookup(m.expand(rest))
		return (v != nil && v.value != "") == (word == "ifdef")
	}
	a, b, ok := operands(rest)
	if !ok {
		m.fail("invalid syntax in conditional")
	}
	return (m.expand(a) == m.expand(b)) == (word == "ifeq")
}

// operands splits "(a,b)", or two words in quotation marks.
func operands(s string) (a, b string, ok bool) {
	if strings.HasPrefix(s, "(") && strings.HasSuffix(s, ")") {
		s = s[1 : len(s)-1]
		comma := outside(s, ",")
		if comma < 0 {
			return "", "", false
		}
		return strings.TrimRight(s[:comma], " \t"), strings.TrimLeft(s[comma+1:], " \t"), true
	}
	var parts [2]string
	for i := range parts {
		s = strings.TrimLeft(s, " \t")
		if s == "" || s[0] != '"' && s[0] != '\'' {
			return "", "", false
		}
		end := strings.IndexByte(s[1:], s[0])
		if end < 0 {
			return "", "", false
		}
		parts[i], s = s[1:end+1], s[end+2:]
	}
	return parts[0], parts[1], strings.TrimSpace(s) == ""
}

// define reads the lines of a variable up to its endef.
func (r *reader) define(line string) {
	m := r.m
	origin := fromFile
	word, rest := cutWord(stripComment(line))
	if word == "override" {
		origin = fromOverride
		_, rest = cutWord(rest)
	}
	a, ok := parseAssignment(rest)
	if !ok {
		a = assignment{name: strings.TrimSpace(rest), op: "="}
	}
	start := m.where
	var lines []string
	level := 1
	for {
		if r.next >= len(r.lines) {
			m.where = start
			m.fail("missing 'endef', unterminated 'define'")
		}
		text := r.physical()
		switch word, _ := cutWord(text); {
		case strings.HasPrefix(text, "\t"):
		case word == "define":
			level++
		case word == "endef":
			level--
		}
		if level == 0 {
			break
		}
		lines = append(lines, text)
	}
	a.value = strings.Join(lines, "\n")
	m.set(a, origin, m.vars)
}

// directive does a line that begins with a word of make's. It reports false if it does not.
func (r *reader) directive(word, rest string) bool {
	m := r.m
	switch word {
	case "include", "-include", "sinclude":
		r.include(strings.Fields(m.expand(rest)), word == "include")
	case "export":
		if a, ok := parseAssignment(rest); ok {
			m.set(a, fromFile, m.vars).exported = true
			return true
		}
		names := strings.Fields(m.expand(rest))
		if len(names) == 0 {
			m.exportAll = true
		}
		for _, name := range names {
			v := m.vars[name]
			if v == nil {
				v = m.define(name, "", true, fromFile)
			}
			v.exported = true
		}
	case "unexport":
		for _, name := range strings.Fields(m.expand(rest)) {
			if v := m.vars[name]; v != nil {
				v.exported, v.hidden = false, true
			}
		}
	case "override":
		if !m.assign(rest, fromOverride, m.vars) {
			m.fail("invalid 'override' directive")
		}
	case "vpath":
	default:
		return false
	}
	return true
}

func (r *reader) include(names []string, needed bool) {
	m := r.m
	if m.depth += 8; m.depth > maxDepth || m.depth > maxIncludes*8 {
		m.fail("makefiles include each other too deep")
	}
	defer func() { m.depth -= 8 }()
	for _, name := range names {
		found := []string{name}
		if strings.ContainsAny(name, "*?[") {
			if found = m.glob(name); len(found) == 0 {
				found = []string{name}
			}
		}
		for _, file := range found {
			text, err := m.env.ReadFile(file)
			for _, dir := range m.opts.includes {
				if err == nil {
					break
				}
				text, err = m.env.ReadFile(dir + "/" + file)
			}
			switch {
			case err == nil:
				m.read(file, string(text))
			case needed:
				m.missing = append(m.missing, missing{file, m.where.String() + ": " + file + ": " + tool.Strerror(err)})
			}
		}
	}
}
