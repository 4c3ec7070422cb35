package edit

import "strings"

// search is ^R: the newest line of the history that has what is typed, and older ones for each
// further ^R.
func (e *Editor) search() (done bool, err error) {
	prompt, line, at := e.prompt, e.line, e.at
	e.lines[e.place] = string(e.line)
	wanted, found, failed := "", e.place, false
	for {
		e.prompt = "(reverse-i-search)`" + wanted + "': "
		if failed {
			e.prompt = "(failed " + e.prompt[1:]
		}
		e.refresh()
		e.mu.Unlock()
		k, err := e.key()
		e.mu.Lock()
		if err != nil {
			return false, err
		}
		from := found
		switch {
		case k.name == "" && k.char == ctrl('r'):
			from--
		case k.name == "" && (k.char == 0x7f || k.char == '\b'):
			if wanted != "" {
				runes := []rune(wanted)
				wanted, from = string(runes[:len(runes)-1]), len(e.lines)-1
			}
		case k.name == "" && k.char >= ' ':
			wanted += string(k.char)
		default:
			e.prompt = prompt
			if k.name == "" && (k.char == ctrl('g') || k.char == ctrl('c')) {
				e.line, e.at = line, at
				e.refresh()
				return false, nil
			}
			e.place = found
			e.refresh()
			if k.name == "" && k.char == 0 || k == (key{name: "M-\x1b"}) {
				return false, nil
			}
			return e.press(k)
		}
		failed = true
		for i := from; i >= 0 && wanted != ""; i-- {
			if place := strings.Index(e.lines[i], wanted); place >= 0 {
				found, failed = i, false
				e.line = []rune(e.lines[i])
				e.at = len([]rune(e.lines[i][:place]))
				break
			}
		}
		if failed {
			e.bell()
		}
	}
}
