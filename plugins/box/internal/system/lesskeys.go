package system

import (
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/regex"
)

// press does what a key does. next reads more of them.
func (p *pager) press(k byte, next func() (byte, bool)) {
	number := 0
	for k >= '0' && k <= '9' {
		number = min(number*10+int(k-'0'), 1<<30)
		io.WriteString(p.out, "\r\x1b[K:"+strconv.Itoa(number))
		var ok bool
		if k, ok = next(); !ok {
			p.quit = true
			return
		}
	}
	count := max(number, 1)
	switch name := p.keyName(k, next); name {
	case "q", "Q", ":q", "ZZ":
		p.quit = true
	case " ", "f", "\x06", "\x16", "pagedown":
		p.page(number)
	case "b", "\x02", "pageup":
		p.back(or(number, p.rows-1))
	case "j", "e", "\r", "\n", "\x05", "\x0e", "down":
		if p.quitAtEnd && p.atEnd() {
			p.next(true)
			return
		}
		p.forward(count)
	case "k", "y", "\x0b", "\x10", "\x19", "up":
		p.back(count)
	case "d", "\x04":
		p.forward(or(number, p.rows/2))
	case "u", "\x15":
		p.back(or(number, p.rows/2))
	case "right":
		p.left += or(number, p.cols/2)
	case "left":
		p.left = max(0, p.left-or(number, p.cols/2))
	case "g", "<", "home":
		p.toLine(count)
	case "G", ">", "end":
		if number > 0 {
			p.toLine(number)
		} else {
			p.toEnd()
		}
	case "p", "%":
		p.toLine(p.text.count() * min(number, 100) / 100)
	case "/", "?":
		p.search(name[0], next)
	case "n":
		p.again(p.backward, count)
	case "N":
		p.again(!p.backward, count)
	case "F":
		p.toEnd()
	case "r", "R", "\x0c":
		io.WriteString(p.out, "\x1b[2J")
	case "=", "\x07":
		p.message = p.names[p.file] + " lines " + strconv.Itoa(p.top+1) + "/" + strconv.Itoa(p.text.count())
	case ":n":
		p.next(false)
	case ":p":
		if p.file == 0 || !p.open(p.file-1) {
			p.message = "No previous file"
		}
	case "-":
		p.toggle(next)
	case "h", "H":
		p.message = "q quit, space b page, j k line, g G ends, / ? n N search, -S -N -R -i options, :n :p files"
	case "":
	default:
		io.WriteString(p.out, "\a")
	}
}

func or(n, otherwise int) int {
	if n > 0 {
		return n
	}
	return otherwise
}

// keyName is the key, or the name of the keys, that k begins.
func (p *pager) keyName(k byte, next func() (byte, bool)) string {
	switch k {
	case ':', 'Z':
		if second, ok := next(); ok {
			return string([]byte{k, second})
		}
		return "q"
	case 0x1b:
		return p.escape(next)
	}
	return string([]byte{k})
}

// escape reads the rest of an escape sequence.
func (p *pager) escape(next func() (byte, bool)) string {
	k, ok := next()
	if !ok || k != '[' && k != 'O' {
		return ""
	}
	digits := ""
	for range 16 {
		if k, ok = next(); !ok {
			return "q"
		}
		if k >= 0x40 && k <= 0x7e {
			break
		}
		digits += string(rune(k))
	}
	switch {
	case k == 'A':
		return "up"
	case k == 'B':
		return "down"
	case k == 'C':
		return "right"
	case k == 'D':
		return "left"
	case k == 'H' || digits == "1" || digits == "7":
		return "home"
	case k == 'F' || digits == "4" || digits == "8":
		return "end"
	case digits == "5":
		return "pageup"
	case digits == "6":
		return "pagedown"
	}
	return ""
}

// page goes on by a screen, or at the end with -e to the next file.
func (p *pager) page(number int) {
	if p.atEnd() && (p.quitAtEnd || p.more) {
		p.next(true)
		return
	}
	p.forward(or(number, p.rows-1))
}

// next shows the next file. Behind the last one it quits, if that is wanted.
func (p *pager) next(quit bool) {
	for p.file+1 < len(p.names) {
		if p.open(p.file + 1) {
			return
		}
		p.file++
	}
	if p.message = "No next file"; quit {
		p.quit = true
	}
}

// toggle changes an option.
func (p *pager) toggle(next func() (byte, bool)) {
	k, ok := next()
	options := map[byte]*bool{'S': &p.chop, 'N': &p.number, 'R': &p.raw, 'r': &p.raw, 'i': &p.ignoreCase, 'I': &p.everyCase, 'E': &p.quitAtEnd, 'e': &p.quitAtEnd}
	option := options[k]
	if !ok || option == nil {
		p.message = "There is no such option"
		return
	}
	*option = !*option
	p.left = 0
}

// A search is a pattern that was searched for.
type search struct{ re *regex.Regexp }

// spans are where a pattern is in a line.
type spans [][2]int

func (s spans) has(i int) bool {
	for _, span := range s {
		if span[0] <= i && i < span[1] {
			return true
		}
	}
	return false
}

// maxMarks is how many are marked in a line.
const maxMarks = 100

func (s search) marks(line string) (all spans) {
	if s.re == nil {
		return nil
	}
	for at := 0; at <= len(line) && len(all) < maxMarks; {
		loc, err := s.re.Find([]byte(line), at)
		if loc == nil || err != nil {
			return all
		}
		if loc[1] > loc[0] {
			all = append(all, [2]int{loc[0], loc[1]})
		}
		at = max(loc[1], at+1)
	}
	return all
}

// search reads a pattern, and shows the next line that has it.
func (p *pager) search(direction byte, next func() (byte, bool)) {
	text := ""
	for {
		io.WriteString(p.out, "\r\x1b[K"+string(rune(direction))+text)
		k, ok := next()
		switch {
		case !ok || k == 3 || k == 0x1b:
			return
		case k == '\r' || k == '\n':
			p.backward = direction == '?'
			if text != "" && !p.compile(text) {
				return
			}
			p.again(p.backward, 1)
			return
		case k == 0x7f || k == '\b':
			if text == "" {
				return
			}
			_, size := utf8.DecodeLastRuneInString(text)
			text = text[:len(text)-size]
		case k == 0x15:
			text = ""
		case len(text) < 1<<10:
			text += string([]byte{k})
		}
	}
}

func (p *pager) compile(text string) bool {
	fold := p.everyCase || p.ignoreCase && text == strings.ToLower(text)
	re, err := regex.Compile(text, regex.Options{Extended: true, IgnoreCase: fold})
	if err != nil {
		p.message = "Invalid pattern"
		return false
	}
	p.pattern = search{re}
	return true
}

// again goes to the next line that has the pattern.
func (p *pager) again(backward bool, count int) {
	if p.pattern.re == nil {
		p.message = "No previous regular expression"
		return
	}
	step := 1
	if backward {
		step = -1
	}
	for line := p.top + step; ; line += step {
		text, ok := p.text.line(line)
		if !ok || p.Stopped() {
			p.message = "Pattern not found"
			return
		}
		if len(p.pattern.marks(text)) == 0 {
			continue
		}
		if count--; count == 0 {
			p.top, p.part = line, 0
			return
		}
	}
}
