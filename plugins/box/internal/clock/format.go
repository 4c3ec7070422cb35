package clock

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// maxWidth bounds a field's width, in bytes.
const maxWidth = 4096

// Format formats t as "date +FORMAT" does, with the flags -_0+^# and widths, in the C locale.
func Format(format string, t time.Time) string {
	var b strings.Builder
	for i := 0; i < len(format); {
		if format[i] != '%' {
			b.WriteByte(format[i])
			i++
			continue
		}
		d, n := parseField(format[i:])
		text := d.format(t)
		if d.verb == 0 || text == unknown {
			text = format[i : i+n]
		}
		b.WriteString(text)
		i += n
	}
	return b.String()
}

const unknown = "\x00"

// A field is one %-conversion.
type field struct {
	pad    byte // '-', '_', '0', or 0 for the conversion's own
	upper  bool
	swap   bool
	width  int
	colons int
	verb   byte // 0 if the format ends before it
}

// parseField parses the field that s begins with and returns its length.
func parseField(s string) (field, int) {
	var f field
	i := 1
	for ; i < len(s); i++ {
		switch s[i] {
		case '-', '_', '0', '+':
			f.pad = s[i]
			continue
		case '^':
			f.upper = true
			continue
		case '#':
			f.swap = true
			continue
		}
		break
	}
	for ; i < len(s) && '0' <= s[i] && s[i] <= '9'; i++ {
		f.width = min(f.width*10+int(s[i]-'0'), maxWidth)
	}
	for ; i < len(s) && s[i] == ':'; i++ {
		f.colons++
	}
	if i < len(s) && (s[i] == 'E' || s[i] == 'O') {
		i++
	}
	if i == len(s) {
		return f, i
	}
	f.verb = s[i]
	return f, i + 1
}

// layouts are the conversions to text that Go formats.
var layouts = map[byte]string{
	'a': "Mon", 'A': "Monday", 'b': "Jan", 'h': "Jan", 'B': "January", 'p': "PM", 'P': "pm", 'Z': "MST",
}

// compound are the conversions that stand for others.
var compound = map[byte]string{
	'c': "%a %b %e %H:%M:%S %Y", 'D': "%m/%d/%y", 'x': "%m/%d/%y", 'F': "%Y-%m-%d", 'r': "%I:%M:%S %p", 'R': "%H:%M",
	'T': "%H:%M:%S", 'X': "%H:%M:%S",
}

func (f field) format(t time.Time) string {
	if s, ok := compound[f.verb]; ok {
		return f.text(Format(s, t))
	}
	if layout, ok := layouts[f.verb]; ok {
		s := t.Format(layout)
		if f.swap && (f.verb == 'p' || f.verb == 'Z') {
			s = strings.ToLower(s)
		} else if f.swap {
			s = strings.ToUpper(s)
		}
		return f.text(s)
	}
	year, week := t.ISOWeek()
	hour12 := (t.Hour()+11)%12 + 1
	monday := (int(t.Weekday()) + 6) % 7
	switch f.verb {
	case '%':
		return f.text("%")
	case 'n':
		return f.text("\n")
	case 't':
		return f.text("\t")
	case 'C':
		return f.number(t.Year()/100, 2, '0')
	case 'd':
		return f.number(t.Day(), 2, '0')
	case 'e':
		return f.number(t.Day(), 2, '_')
	case 'g':
		return f.number(year%100, 2, '0')
	case 'G':
		return f.number(year, 4, '0')
	case 'H':
		return f.number(t.Hour(), 2, '0')
	case 'I':
		return f.number(hour12, 2, '0')
	case 'j':
		return f.number(t.YearDay(), 3, '0')
	case 'k':
		return f.number(t.Hour(), 2, '_')
	case 'l':
		return f.number(hour12, 2, '_')
	case 'm':
		return f.number(int(t.Month()), 2, '0')
	case 'M':
		return f.number(t.Minute(), 2, '0')
	case 'N':
		return f.nanoseconds(t.Nanosecond())
	case 'q':
		return f.number((int(t.Month())+2)/3, 1, '0')
	case 's':
		return f.number(int(t.Unix()), 1, '0')
	case 'S':
		return f.number(t.Second(), 2, '0')
	case 'u':
		return f.number(monday+1, 1, '0')
	case 'U':
		return f.number((t.YearDay()+6-int(t.Weekday()))/7, 2, '0')
	case 'V':
		return f.number(week, 2, '0')
	case 'w':
		return f.number(int(t.Weekday()), 1, '0')
	case 'W':
		return f.number((t.YearDay()+6-monday)/7, 2, '0')
	case 'y':
		return f.number(t.Year()%100, 2, '0')
	case 'Y':
		return f.number(t.Year(), 4, '0')
	case 'z':
		return f.offset(t)
	}
	return unknown
}

func (f field) text(s string) string {
	if f.upper {
		s = strings.ToUpper(s)
	}
	if n := f.width - len(s); n > 0 && f.pad != '-' {
		fill := " "
		if f.pad == '0' || f.pad == '+' {
			fill = "0"
		}
		s = strings.Repeat(fill, n) + s
	}
	return s
}

func (f field) number(n, width int, pad byte) string {
	if f.width > 0 {
		width = f.width
	}
	if f.pad != 0 {
		pad = f.pad
	}
	switch pad {
	case '-':
		return strconv.Itoa(n)
	case '_':
		return fmt.Sprintf("%*d", width, n)
	}
	return fmt.Sprintf("%0*d", width, n)
}

// nanoseconds are cut, not padded, to the width.
func (f field) nanoseconds(n int) string {
	s := fmt.Sprintf("%09d", n)
	switch {
	case f.width == 0:
		return s
	case f.width < 9:
		return s[:f.width]
	}
	return s + strings.Repeat("0", f.width-9)
}

// offset is %z, %:z, %::z and %:::z.
func (f field) offset(t time.Time) string {
	_, seconds := t.Zone()
	sign := "+"
	if seconds < 0 {
		sign, seconds = "-", -seconds
	}
	h, m, s := seconds/3600, seconds/60%60, seconds%60
	switch f.colons {
	case 0:
		return fmt.Sprintf("%s%02d%02d", sign, h, m)
	case 1:
		return fmt.Sprintf("%s%02d:%02d", sign, h, m)
	case 2:
		return fmt.Sprintf("%s%02d:%02d:%02d", sign, h, m, s)
	}
	out := fmt.Sprintf("%s%02d", sign, h)
	if m != 0 || s != 0 {
		out += fmt.Sprintf(":%02d", m)
	}
	if s != 0 {
		out += fmt.Sprintf(":%02d", s)
	}
	return out
}
