package mk

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/glob"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// A function is $(name argument,…).
type function struct {
	least, most int // arguments; the last one has all commas that are left. 0 is any number.
	raw         bool
	call        func(m *maker, args []string) string
}

var (
	fillFunctions sync.Once // not whenever the box starts
	functionTable map[string]function
)

// functions returns all functions by name. The map is shared: it is only read.
func functions() map[string]function {
	fillFunctions.Do(makeFunctions)
	return functionTable
}

func makeFunctions() { // not a literal: some of them lead back to the table
	functionTable = map[string]function{
		"subst":      {3, 3, false, func(_ *maker, a []string) string { return strings.ReplaceAll(a[2], a[0], a[1]) }},
		"patsubst":   {3, 3, false, func(m *maker, a []string) string { return m.patsubst(a[0], a[1], a[2]) }},
		"strip":      {1, 1, false, func(_ *maker, a []string) string { return strings.Join(strings.Fields(a[0]), " ") }},
		"findstring": {2, 2, false, findString},
		"filter":     {2, 2, false, func(_ *maker, a []string) string { return filter(a[0], a[1], true) }},
		"filter-out": {2, 2, false, func(_ *maker, a []string) string { return filter(a[0], a[1], false) }},
		"sort":       {1, 1, false, func(_ *maker, a []string) string { return strings.Join(sorted(a[0]), " ") }},
		"word":       {2, 2, false, word},
		"wordlist":   {3, 3, false, wordList},
		"words":      {1, 1, false, func(_ *maker, a []string) string { return strconv.Itoa(len(strings.Fields(a[0]))) }},
		"firstword":  {1, 1, false, func(_ *maker, a []string) string { return nth(strings.Fields(a[0]), 0) }},
		"lastword":   {1, 1, false, func(_ *maker, a []string) string { w := strings.Fields(a[0]); return nth(w, len(w)-1) }},
		"dir":        {1, 1, false, func(_ *maker, a []string) string { return mapWords(a[0], dirOf) }},
		"notdir":     {1, 1, false, func(_ *maker, a []string) string { return mapWords(a[0], notDir) }},
		"suffix":     {1, 1, false, func(_ *maker, a []string) string { return mapWords(a[0], suffixOf) }},
		"basename":   {1, 1, false, func(_ *maker, a []string) string { return mapWords(a[0], baseName) }},
		"addsuffix":  {2, 2, false, func(_ *maker, a []string) string { return mapWords(a[1], func(w string) string { return w + a[0] }) }},
		"addprefix":  {2, 2, false, func(_ *maker, a []string) string { return mapWords(a[1], func(w string) string { return a[0] + w }) }},
		"join":       {2, 2, false, join},
		"wildcard":   {1, 1, false, func(m *maker, a []string) string { return strings.Join(m.wildcard(a[0]), " ") }},
		"realpath":   {1, 1, false, realPath},
		"abspath": {1, 1, false, func(m *maker, a []string) string {
			return mapWords(a[0], func(w string) string { return cleanPath(m.env.Path(w)) })
		}},
		"error":   {1, 1, false, func(m *maker, a []string) string { m.fail("%s", a[0]); return "" }},
		"warning": {1, 1, false, warning},
		"info":    {1, 1, false, func(m *maker, a []string) string { m.env.Out.WriteString(a[0] + "\n"); return "" }},
		"shell":   {1, 1, false, func(m *maker, a []string) string { return m.shellOutput(a[0]) }},
		"origin":  {1, 1, false, origin},
		"flavor":  {1, 1, false, flavor},
		"value":   {1, 1, false, rawValue},
		"eval":    {1, 1, false, func(m *maker, a []string) string { m.eval(a[0]); return "" }},
		"file":    {1, 2, false, writeFile},
		"call":    {1, 0, false, callVariable},
		"foreach": {3, 3, true, forEach},
		"if":      {2, 3, true, choose},
		"or":      {1, 0, true, anyOf},
		"and":     {1, 0, true, allOf},
	}
}

// callFunction splits the arguments, expands them unless the function does that itself, and calls
// it.
func (m *maker) callFunction(name string, f function, s string, open byte) string {
	if m.depth++; m.depth > maxDepth {
		m.fail("expansions are nested too deep")
	}
	defer func() { m.depth-- }()
	var args []string
	level := 0
	start := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case open:
			level++
		case closing(open):
			level--
		case '$':
			if n := referenceLength(s[i:]); n > 2 {
				i += n - 1
			}
		case ',':
			if level == 0 && (f.most == 0 || len(args) < f.most-1) {
				args = append(args, s[start:i])
				start = i + 1
			}
		}
	}
	args = append(args, s[start:])
	if len(args) < f.least {
		m.fail("insufficient number of arguments (%d) to function '%s'", len(args), name)
	}
	if !f.raw {
		for i := range args {
			args[i] = m.expand(args[i])
		}
	}
	out := f.call(m, args)
	m.limit(len(out))
	return out
}

// mapWords puts each word through f.
func mapWords(s string, f func(string) string) string {
	words := []string{}
	for _, w := range strings.Fields(s) {
		if out := f(w); out != "" {
			words = append(words, out)
		}
	}
	return strings.Join(words, " ")
}

func dirOf(w string) string {
	if i := strings.LastIndexByte(w, '/'); i >= 0 {
		return w[:i+1]
	}
	return "./"
}

func notDir(w string) string { return w[strings.LastIndexByte(w, '/')+1:] }

func suffixOf(w string) string {
	base := notDir(w)
	if i := strings.LastIndexByte(base, '.'); i >= 0 {
		return base[i:]
	}
	return ""
}

func baseName(w string) string { return strings.TrimSuffix(w, suffixOf(w)) }

// matchPattern returns what "%" stands for in word.
func matchPattern(pattern, word string) (stem string, ok bool) {
	before, after, has := strings.Cut(pattern, "%")
	if !has {
		return "", pattern == word
	}
	if len(word) < len(before)+len(after) || !strings.HasPrefix(word, before) || !strings.HasSuffix(word, after) {
		return "", false
	}
	return word[len(before) : len(word)-len(after)], true
}

func (m *maker) patsubst(from, to, text string) string {
	return mapWords(text, func(w string) string {
		stem, ok := matchPattern(from, w)
		if !ok {
			return w
		}
		if !strings.Contains(from, "%") {
			return to
		}
		return strings.Replace(to, "%", stem, 1)
	})
}

func findString(_ *maker, a []string) string {
	if strings.Contains(a[1], a[0]) {
		return a[0]
	}
	return ""
}

func filter(patterns, text string, keep bool) string {
	list := strings.Fields(patterns)
	return mapWords(text, func(w string) string {
		matches := slices.ContainsFunc(list, func(p string) bool {
			_, ok := matchPattern(p, w)
			return ok
		})
		if matches == keep {
			return w
		}
		return ""
	})
}

func sorted(s string) []string {
	words := strings.Fields(s)
	slices.Sort(words)
	return slices.Compact(words)
}

func nth(words []string, i int) string {
	if i < 0 || i >= len(words) {
		return ""
	}
	return words[i]
}

// number reads an argument that must be one.
func (m *maker) number(s, which, name string) int {
	n, err := strconv.Atoi(strings.TrimSpace(s))
	if err != nil {
		m.fail("non-numeric %s argument to '%s' function", which, name)
	}
	return n
}

func word(m *maker, a []string) string {
	n := m.number(a[0], "first", "word")
	if n < 1 {
		m.fail("first argument to 'word' function must be greater than 0")
	}
	return nth(strings.Fields(a[1]), n-1)
}

func wordList(m *maker, a []string) string {
	from, to := m.number(a[0], "first", "wordlist"), m.number(a[1], "second", "wordlist")
	if from < 1 {
		m.fail("invalid first argument to 'wordlist' function: '%d'", from)
	}
	words := strings.Fields(a[2])
	to = min(to, len(words))
	if from > to {
		return ""
	}
	return strings.Join(words[from-1:to], " ")
}

func join(_ *maker, a []string) string {
	x, y := strings.Fields(a[0]), strings.Fields(a[1])
	words := make([]string, max(len(x), len(y)))
	for i := range words {
		words[i] = nth(x, i) + nth(y, i)
	}
	return strings.Join(words, " ")
}

// wildcard returns the files that patterns match, each pattern's in order.
func (m *maker) wildcard(patterns string) []string {
	var found []string
	for _, p := range strings.Fields(patterns) {
		found = append(found, m.glob(p)...)
	}
	return found
}

func (m *maker) glob(p string) []string {
	if !strings.ContainsAny(p, "*?[") {
		if _, err := m.env.Stat(p); err != nil {
			return nil
		}
		return []string{p}
	}
	dir, base := path.Split(p)
	dirs := []string{dir}
	if strings.ContainsAny(dir, "*?[") {
		dirs = nil
		for _, d := range m.glob(strings.TrimRight(dir, "/")) {
			dirs = append(dirs, d+"/")
		}
	}
	if base == "" {
		return dirs
	}
	var found []string
	for _, d := range dirs {
		from := d
		if from == "" {
			from = "."
		}
		entries, err := m.env.ReadDir(from)
		if err != nil {
			continue
		}
		for _, e := range entries {
			m.limit(0)
			if name := e.Name(); (name[0] != '.' || base[0] == '.') && glob.Match(base, name, false) {
				found = append(found, d+name)
			}
		}
	}
	return found
}

func realPath(m *maker, a []string) string {
	return mapWords(a[0], func(w string) string {
		p, err := filepath.EvalSymlinks(m.env.Path(w))
		if err != nil {
			return ""
		}
		return p
	})
}

func warning(m *maker, a []string) string {
	if m.where.file == "" {
		m.say("%s", a[0])
		return ""
	}
	m.env.Warn(m.where.String() + ": " + a[0])
	return ""
}

func origin(m *maker, a []string) string {
	v := m.lookup(a[0])
	if v == nil {
		return "undefined"
	}
	return originNames[v.origin]
}

func flavor(m *maker, a []string) string {
	v := m.lookup(a[0])
	switch {
	case v == nil:
		return "undefined"
	case v.recursive:
		return "recursive"
	}
	return "simple"
}

func rawValue(m *maker, a []string) string {
	if v := m.lookup(a[0]); v != nil {
		return v.value
	}
	return ""
}

func writeFile(m *maker, a []string) string {
	op, name := "", strings.TrimSpace(a[0])
	for _, o := range []string{">>", ">", "<"} {
		if strings.HasPrefix(name, o) {
			op, name = o, strings.TrimSpace(name[len(o):])
			break
		}
	}
	switch op {
	case "<":
		text, _ := m.env.ReadFile(name)
		return strings.TrimSuffix(string(text), "\n")
	case "":
		m.fail("file: invalid file operation: %s", name)
	}
	flags := os.O_TRUNC
	if op == ">>" {
		flags = os.O_APPEND
	}
	f, err := m.env.Create(name, flags)
	if err != nil {
		m.fail("open: %s: %s", name, tool.Strerror(err))
	}
	defer f.Close()
	if len(a) > 1 && a[1] != "" {
		f.Write([]byte(strings.TrimSuffix(a[1], "\n") + "\n"))
	}
	return ""
}

// callVariable is $(call name,…): the arguments are $(1) and so on.
func callVariable(m *maker, a []string) string {
	name := strings.TrimSpace(a[0])
	if f, ok := functions()[name]; ok && !f.raw && len(a)-1 >= f.least {
		return f.call(m, a[1:])
	}
	v := m.lookup(name)
	if v == nil {
		return ""
	}
	vars := map[string]*variable{"0": {value: name, origin: fromAutomatic}}
	for i := 1; i < max(len(a), 10); i++ {
		vars[strconv.Itoa(i)] = &variable{value: nth(a, i), origin: fromAutomatic}
	}
	m.special = &scope{up: m.special, vars: vars}
	defer func() { m.special = m.special.up }()
	return m.expand(v.value)
}

func forEach(m *maker, a []string) string {
	name := strings.TrimSpace(m.expand(a[0]))
	v := &variable{origin: fromAutomatic}
	list := strings.Fields(m.expand(a[1]))
	m.special = &scope{up: m.special, vars: map[string]*variable{name: v}}
	defer func() { m.special = m.special.up }()
	out := make([]string, len(list))
	size := 0
	for i, w := range list {
		v.value = w
		out[i] = m.expand(a[2])
		size += len(out[i])
		m.limit(size)
	}
	return strings.Join(out, " ")
}

func choose(m *maker, a []string) string {
	if m.expand(strings.TrimSpace(a[0])) != "" {
		return m.expand(a[1])
	}
	if len(a) > 2 {
		return m.expand(a[2])
	}
	return ""
}

func anyOf(m *maker, a []string) string {
	for _, arg := range a {
		if out := m.expand(strings.TrimSpace(arg)); out != "" {
			return out
		}
	}
	return ""
}

func allOf(m *maker, a []string) string {
	out := ""
	for _, arg := range a {
		if out = m.expand(strings.TrimSpace(arg)); out == "" {
			return ""
		}
	}
	return out
}
