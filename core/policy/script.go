package policy

import "strings"

// plainSed accepts commands that print, delete, replace or stop, with or without addresses:
// "1,20p;30q", "/^func/,/^}/p", "s/a/b/g". What it might read otherwise than sed does, it refuses.
func plainSed(script string) bool {
	for {
		script = strings.TrimLeft(script, " \t\n;")
		if script == "" {
			return true
		}
		var ok bool
		if script, ok = sedAddresses(script); !ok || script == "" {
			return false
		}
		switch command := script[0]; command {
		case 'p', 'd', 'q', '=', 'n', 'N', 'D', 'P', 'g', 'G', 'h', 'H', 'x':
			script = script[1:]
		case 's', 'y':
			if len(script) < 2 || strings.IndexByte("/|,#@:!%_", script[1]) < 0 {
				return false
			}
			mark := script[1]
			script = script[2:]
			if script, ok = sedText(script, mark); !ok {
				return false
			}
			if script, ok = sedText(script, mark); !ok {
				return false
			}
			if command == 's' {
				script = strings.TrimLeft(script, "gpiIM0123456789")
			}
		default:
			return false
		}
		// More may follow only where another command begins for sure.
		script = strings.TrimLeft(script, " \t")
		if script != "" && script[0] != ';' && script[0] != '\n' {
			return false
		}
	}
}

// sedAddresses removes what says which lines a command is for.
func sedAddresses(script string) (rest string, ok bool) {
	for range 2 {
		switch {
		case script == "":
			return "", false
		case script[0] == '/':
			if script, ok = sedText(script[1:], '/'); !ok {
				return "", false
			}
			script = strings.TrimLeft(script, "I")
		default:
			script = strings.TrimLeft(script, "0123456789$+~")
		}
		script = strings.TrimLeft(script, " \t")
		next, more := strings.CutPrefix(script, ",")
		if !more {
			break
		}
		script = strings.TrimLeft(next, " \t")
	}
	return strings.TrimLeft(script, "! \t"), true
}

// sedText removes text up to mark, and that. Seds differ in whether a mark counts in brackets, so
// none may stand there.
func sedText(script string, mark byte) (rest string, ok bool) {
	open := false
	for i := 0; i < len(script); i++ {
		switch c := script[i]; {
		case c == '\\':
			if i++; open && i < len(script) && script[i] == mark {
				return "", false
			}
		case c == mark:
			return script[i+1:], !open
		case c == '[' && !open: // a "]" that is first does not close
			open = true
			if strings.HasPrefix(script[i+1:], "^") {
				i++
			}
			if strings.HasPrefix(script[i+1:], "]") {
				i++
			}
		case c == '[': // a class: [:alpha:]
			class, _, ok := strings.Cut(script[i+1:], ":]")
			if !ok || strings.Trim(class, ":abcdefghijklmnopqrstuvwxyz") != "" || class == "" || class[0] != ':' {
				return "", false
			}
			i += len(class) + 2
		case c == ']':
			open = false
		}
	}
	return "", false
}

// maxAwk is how long a program may be that is looked at, in bytes.
const maxAwk = 4 << 10

// plainAwk accepts programs that neither write nor execute nor read files: ">" and "|" are
// operators but after print, where they are redirects.
func plainAwk(program string) bool {
	if len(program) > maxAwk {
		return false // it is looked at again for each ">"
	}
	for _, s := range []string{"@", "system", "getline", "\\\n"} {
		if strings.Contains(program, s) {
			return false
		}
	}
	for i := 0; i < len(program); i++ {
		if program[i] != '>' && program[i] != '|' {
			continue
		}
		_, after, ok := cutLast(program[:i], "print")
		// The statement has ended if there is an end that is no part of a string, of an expression
		// to match, or of a comment.
		if ok && (!strings.ContainsAny(after, "};") || strings.ContainsAny(after, "\"/\\#")) {
			return false
		}
	}
	return true
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}
