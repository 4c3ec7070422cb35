package wheel

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/plugin"
)

// An Environment is what a python says of itself, by the names of markers.
type Environment map[string]string

// PythonOf returns the environment of a CPython of a version such as "3.12.0", as a
// WASI module.
//
// https://packaging.python.org/en/latest/specifications/dependency-specifiers/#environment-markers
func PythonOf(version string) (Environment, error) {
	m := pythonVersion().FindStringSubmatch(version)
	if m == nil {
		return nil, fmt.Errorf("version %s: want one as 3.12.0", plugin.Printable(version))
	}
	return Environment{
		"python_version":                 m[1],
		"python_full_version":            version,
		"implementation_version":         version,
		"implementation_name":            "cpython",
		"platform_python_implementation": "CPython",
		"os_name":                        "posix",
		"sys_platform":                   "wasi",
		"platform_system":                "wasi",
		"platform_machine":               "wasm32",
		"platform_release":               "0.0.0",
		"platform_version":               "0.0.0",
		"extra":                          "",
	}, nil
}

var pythonVersion = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(3\.[0-9]{1,3})\.[0-9]{1,3}$`) })

// versioned are the variables that are compared as versions.
var versioned = []string{"python_version", "python_full_version", "implementation_version"}

// tokens of a marker: texts in quotes, operators, brackets and words.
var tokens = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*("[^"]*"|'[^']*'|===|==|!=|<=|>=|~=|<|>|\(|\)|[A-Za-z_][A-Za-z0-9_.]*)`)
})

// A marker is a condition that is being evaluated.
type marker struct {
	env  Environment
	rest string
}

// Holds reports whether a marker such as `python_version < "3.11"` holds. The error
// is that it can't be read: it is not taken for either.
func (env Environment) Holds(text string) (bool, error) {
	text = strings.TrimSpace(text)
	if len(text) > maxRequirement {
		return false, fmt.Errorf("marker %s: more than %d bytes", plugin.Printable(text), maxRequirement)
	}
	m := &marker{env, text}
	holds, err := m.or()
	if err == nil && strings.TrimSpace(m.rest) != "" {
		err = errors.New("more than a condition")
	}
	if err != nil {
		return false, fmt.Errorf("marker %s: %w", plugin.Printable(text), err)
	}
	return holds, nil
}

// next returns the next token, and is past it. At the end it is empty.
func (m *marker) next() string {
	found := tokens().FindStringSubmatch(m.rest)
	if found == nil {
		return ""
	}
	m.rest = m.rest[len(found[0]):]
	return found[1]
}

// take is next if that is what is wanted.
func (m *marker) take(want string) bool {
	before := m.rest
	if m.next() == want {
		return true
	}
	m.rest = before
	return false
}

func (m *marker) or() (bool, error) {
	holds, err := m.and()
	for err == nil && m.take("or") {
		var other bool
		other, err = m.and()
		holds = holds || other
	}
	return holds, err
}

func (m *marker) and() (bool, error) {
	holds, err := m.one()
	for err == nil && m.take("and") {
		var other bool
		other, err = m.one()
		holds = holds && other
	}
	return holds, err
}

// one reads a comparison, or what is in brackets. The marker's length bounds how
// deep they are.
func (m *marker) one() (bool, error) {
	if m.take("(") {
		holds, err := m.or()
		if err == nil && !m.take(")") {
			err = errors.New("a bracket is not closed")
		}
		return holds, err
	}
	left, isVersion, err := m.value()
	if err != nil {
		return false, err
	}
	op := m.next()
	if op == "not" && m.take("in") {
		op = "not in"
	}
	right, alsoVersion, err := m.value()
	if err != nil {
		return false, err
	}
	return compare(left, op, right, isVersion || alsoVersion)
}

// value reads a variable, or a text in quotes.
func (m *marker) value() (value string, isVersion bool, err error) {
	token := m.next()
	if token == "" {
		return "", false, errors.New("not a condition")
	}
	if token[0] == '"' || token[0] == '\'' {
		return token[1 : len(token)-1], false, nil
	}
	value, ok := m.env[strings.ReplaceAll(token, ".", "_")]
	if !ok {
		return "", false, fmt.Errorf("%s is not known", token)
	}
	return value, slices.Contains(versioned, token), nil
}

func compare(left, op, right string, versions bool) (bool, error) {
	switch op {
	case "in":
		return strings.Contains(right, left), nil
	case "not in":
		return !strings.Contains(right, left), nil
	}
	if versions {
		v, err := parseVersion(left)
		if err != nil {
			return false, err
		}
		spec, err := parseSpec(op + right)
		return err == nil && spec(v), err
	}
	switch op {
	case "==", "===":
		return left == right, nil
	case "!=":
		return left != right, nil
	}
	return false, fmt.Errorf("%q compares versions", op)
}
