package basic

import (
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

func echo(env *tool.Env, args []string) int {
	if len(args) == 2 {
		switch args[1] {
		case "--help":
			env.Help()
			return 0
		case "--version":
			env.Version()
			return 0
		}
	}
	args = args[1:]
	newline, escapes := true, false
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' && strings.Trim(args[0][1:], "neE") == "" {
		for _, c := range args[0][1:] {
			switch c {
			case 'n':
				newline = false
			case 'e':
				escapes = true
			case 'E':
				escapes = false
			}
		}
		args = args[1:]
	}
	line := strings.Join(args, " ")
	if escapes {
		text, stop := unescape(line)
		env.Out.Write(text)
		if stop {
			return 0
		}
	} else {
		env.Out.WriteString(line)
	}
	if newline {
		env.Out.WriteByte('\n')
	}
	return 0
}

// unescape replaces the escapes of echo -e and of printf's %b. stop says that \c ended the output.
// Octal numbers may begin with \0.
func unescape(s string) (text []byte, stop bool) {
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			text = append(text, s[i])
			continue
		}
		i++
		c := s[i]
		switch {
		case c == 'c':
			return text, true
		case c == 'e':
			text = append(text, 0x1b)
		case c == '\\':
			text = append(text, '\\')
		case c == 'x':
			n, used := number(s[i+1:], 16, 2)
			if used == 0 {
				text = append(text, `\x`...)
				continue
			}
			text = append(text, byte(n))
			i += used
		case '0' <= c && c <= '7':
			digits := s[i:]
			if c == '0' {
				digits = s[i+1:]
			}
			n, used := number(digits, 8, 3)
			text = append(text, byte(n))
			i += used
			if c != '0' {
				i--
			}
		default:
			if k := strings.IndexByte("abtnvfr", c); k >= 0 {
				text = append(text, '\a'+byte(k))
				continue
			}
			text = append(text, '\\', c)
		}
	}
	return text, false
}

// number reads up to most digits and says how many there were.
func number(s string, base, most int) (n, used int) {
	for used < len(s) && used < most {
		d := strings.IndexByte("0123456789abcdef", s[used]|0x20)
		if s[used] < '0' || s[used] > '9' && s[used]|0x20 < 'a' || d < 0 || d >= base {
			break
		}
		n = n*base + d
		used++
	}
	return n, used
}
