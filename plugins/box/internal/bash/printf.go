package bash

import (
	"bytes"
	"io"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/cprintf"
)

// builtinPrintf is how the builtin is called where our command stands in for it.
const builtinPrintf = "/bin/printf"

// printfMessages turns the command's messages into the builtin's.
type printfMessages struct {
	w      io.Writer
	prefix string
	text   bytes.Buffer
}

func (m *printfMessages) Write(p []byte) (int, error) { return m.text.Write(p) }

// flush writes what has been collected.
func (m *printfMessages) flush() {
	for line := range strings.Lines(m.text.String()) {
		if line = m.line(strings.TrimSuffix(line, "\n")); line != "" {
			io.WriteString(m.w, line+"\n")
		}
	}
}

// unquoted takes a value out of the command's quotation marks.
func unquoted(value string) string {
	value = strings.TrimSuffix(strings.TrimPrefix(value, "‘"), "’")
	return strings.ReplaceAll(value, `\\`, `\`)
}

func (m *printfMessages) line(line string) string {
	what, ok := strings.CutPrefix(line, builtinPrintf+": ")
	if !ok {
		return "" // "Try 'printf --help'"
	}
	for _, end := range []string{": expected a numeric value", ": value not completely converted"} {
		if value, ok := strings.CutSuffix(what, end); ok {
			value = unquoted(value)
			if digits := strings.TrimPrefix(value, "-"); len(digits) > 1 && digits[0] == '0' && '0' <= digits[1] && digits[1] <= '9' {
				return m.prefix + ": printf: " + value + ": invalid octal number"
			}
			return m.prefix + ": printf: " + value + ": invalid number"
		}
	}
	if value, ok := strings.CutSuffix(what, ": Numerical result out of range"); ok {
		value = unquoted(value)
		return m.prefix + ": printf: warning: " + value + ": Numerical result out of range"
	}
	if strings.HasPrefix(what, "warning: ignoring excess arguments") {
		return ""
	}
	if spec, ok := strings.CutSuffix(what, ": invalid conversion specification"); ok {
		if d, _ := cprintf.Parse(spec); d.Verb == 0 {
			return m.prefix + ": printf: `" + spec + "': missing format character"
		}
		return m.prefix + ": printf: `" + spec[len(spec)-1:] + "': invalid format character"
	}
	if what == "missing operand" {
		return "printf: usage: printf [-v var] format [arguments]"
	}
	return m.prefix + ": printf: " + what
}
