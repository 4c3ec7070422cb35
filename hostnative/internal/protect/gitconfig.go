package protect

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// An entry is one variable of a git config file.
type entry struct {
	section    string // lower case
	divided    bool   // it has a subsection, which may be empty
	subsection string // as written
	key        string // lower case
	value      string
	// bare: there is no "=", which git takes for true.
	bare bool
}

// name is the name as git prints it.
func (e entry) name() string {
	if !e.divided {
		return e.section + "." + e.key
	}
	return e.section + "." + e.subsection + "." + e.key
}

var errConfig = errors.New("it is no git config file")

// parseConfig reads a config file as git does. What git refuses it refuses too, and more: a file
// with a NUL, where git's own strings end early, and variables before the first section.
//
// A blank within a value stays the blank it is. Before version 2.45 git made each a space.
//
// https://git-scm.com/docs/git-config#_syntax, and config.c where that is silent
func parseConfig(data []byte) ([]entry, error) {
	if bytes.IndexByte(data, 0) >= 0 {
		return nil, errConfig
	}
	p := configParser{data: bytes.TrimPrefix(data, []byte("\ufeff"))}
	var entries []entry
	var section entry
	for {
		c := p.next()
		switch {
		case c == '\n' && p.ended:
			return entries, nil
		case isBlank(c):
		case c == '#' || c == ';':
			p.skipLine()
		case c == '[':
			name, err := p.section()
			if err != nil {
				return nil, err
			}
			section = name
		case isLetter(c) && section.section != "":
			e := section
			if err := p.variable(&e, c); err != nil {
				return nil, err
			}
			entries = append(entries, e)
		default:
			return nil, errConfig
		}
	}
}

type configParser struct {
	data  []byte
	at    int
	ended bool // the newline that follows the last byte has been handed out
}

// next returns the next byte, and newlines once there is none. A carriage return before a newline
// does not count.
func (p *configParser) next() byte {
	if p.at >= len(p.data) {
		p.ended = true
		return '\n'
	}
	c := p.data[p.at]
	p.at++
	if c == '\r' && p.at < len(p.data) && p.data[p.at] == '\n' {
		p.at++
		return '\n'
	}
	return c
}

func (p *configParser) skipLine() {
	for p.next() != '\n' {
	}
}

// section reads what follows a "[".
func (p *configParser) section() (entry, error) {
	var name []byte
	for {
		c := p.next()
		switch {
		case p.ended:
			return entry{}, errConfig
		case c == ']':
			// The old way to write a subsection, [branch.main], makes it lower case.
			section, subsection, divided := strings.Cut(string(name), ".")
			if section == "" {
				return entry{}, errConfig
			}
			return entry{section: section, divided: divided, subsection: subsection}, nil
		case isBlank(c):
			subsection, err := p.subsection(c)
			section, more, dotted := strings.Cut(string(name), ".")
			if err != nil || section == "" {
				return entry{}, errConfig
			}
			if dotted {
				subsection = more + "." + subsection
			}
			return entry{section: section, divided: true, subsection: subsection}, nil
		case isKeyByte(c) || c == '.':
			name = append(name, lower(c))
		default:
			return entry{}, errConfig
		}
	}
}

// subsection reads the quoted part of a section's name. c is the blank before it.
func (p *configParser) subsection(c byte) (string, error) {
	for isBlank(c) {
		if c == '\n' {
			return "", errConfig
		}
		c = p.next()
	}
	if c != '"' {
		return "", errConfig
	}
	var name []byte
	for {
		c = p.next()
		if c == '"' {
			break
		}
		if c == '\\' {
			c = p.next()
		}
		if c == '\n' {
			return "", errConfig
		}
		name = append(name, c)
	}
	if p.next() != ']' {
		return "", errConfig
	}
	return string(name), nil
}

// variable reads a variable whose name begins with c.
func (p *configParser) variable(e *entry, c byte) error {
	var key []byte
	for isKeyByte(c) && !p.ended {
		key = append(key, lower(c))
		c = p.next()
	}
	e.key = string(key)
	for c == ' ' || c == '\t' {
		c = p.next()
	}
	switch c {
	case '\n':
		e.bare = true
		return nil
	case '=':
		value, err := p.value()
		e.value = value
		return err
	}
	return errConfig
}

// value reads what follows a "=".
func (p *configParser) value() (string, error) {
	var value []byte
	quoted := false
	trim := 0 // where blanks begin that are dropped if nothing follows; 0 if there are none
	for {
		c := p.next()
		switch {
		case c == '\n':
			if quoted {
				return "", errConfig
			}
			if trim > 0 {
				value = value[:trim]
			}
			return string(value), nil
		case isBlank(c) && !quoted:
			if trim == 0 {
				trim = len(value)
			}
			if len(value) > 0 {
				value = append(value, c)
			}
			continue
		case (c == '#' || c == ';') && !quoted:
			p.skipLine()
			if trim > 0 {
				value = value[:trim]
			}
			return string(value), nil
		}
		trim = 0
		switch c {
		case '\\':
			c = p.next()
			switch c {
			case '\n':
				continue
			case 't':
				c = '\t'
			case 'b':
				c = '\b'
			case 'n':
				c = '\n'
			case '\\', '"':
			default:
				return "", errConfig
			}
			value = append(value, c)
		case '"':
			quoted = !quoted
		default:
			value = append(value, c)
		}
	}
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func isKeyByte(c byte) bool { return isLetter(c) || c >= '0' && c <= '9' || c == '-' }

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// formatConfig writes entries so that parseConfig, and git, read the same.
func formatConfig(entries []entry) []byte {
	var out bytes.Buffer
	var open entry
	for i, e := range entries {
		if i == 0 || e.section != open.section || e.divided != open.divided || e.subsection != open.subsection {
			open = e
			if !e.divided {
				fmt.Fprintf(&out, "[%s]\n", e.section)
			} else {
				fmt.Fprintf(&out, "[%s \"%s\"]\n", e.section, escapeSubsection.Replace(e.subsection))
			}
		}
		if e.bare {
			fmt.Fprintf(&out, "\t%s\n", e.key)
		} else {
			fmt.Fprintf(&out, "\t%s = \"%s\"\n", e.key, escapeValue.Replace(e.value))
		}
	}
	return out.Bytes()
}

var (
	escapeSubsection = strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	escapeValue      = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`, "\b", `\b`)
)
