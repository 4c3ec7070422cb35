package edit

import (
	"strings"
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// complete makes the word before the cursor as long as it can only be. A second tab lists what it
// may be.
func (e *Editor) complete() {
	if e.Complete == nil {
		e.insert([]rune{'\t'})
		return
	}
	before := string(e.line[:e.at])
	from, found := e.Complete(before, len(before))
	if len(found) == 0 {
		e.bell()
		return
	}
	common := found[0].Text
	for _, c := range found[1:] {
		n := 0
		for n < len(common) && n < len(c.Text) && common[n] == c.Text[n] {
			n++
		}
		for n > 0 && n < len(common) && !utf8.RuneStart(common[n]) {
			n--
		}
		common = common[:n]
	}
	if len(found) == 1 && !found[0].Open {
		common += " "
	}
	switch word := before[from:]; {
	case common != word && (len(common) > len(word) || len(found) == 1):
		e.replace(utf8.RuneCountInString(before[:from]), common)
		if len(found) > 1 {
			e.tabs = 0
		}
	case len(found) == 1:
	case e.tabs == 1:
		e.bell()
	default:
		e.list(found)
	}
}

// replace makes text of what is between from and the cursor.
func (e *Editor) replace(from int, text string) {
	if rest, ok := strings.CutPrefix(text, string(e.line[from:e.at])); ok {
		e.insert([]rune(rest))
		return
	}
	e.splice(from, e.at, []rune(text))
	e.refresh()
}

// maxListed is how many candidates are shown.
const maxListed = 1000

// list shows candidates in columns, above the line.
func (e *Editor) list(found []Candidate) {
	more := len(found) - maxListed
	found = found[:min(len(found), maxListed)]
	_, cols := e.Size()
	if cols <= 0 {
		cols = 80
	}
	width := 0
	for _, c := range found {
		width = max(width, tool.Columns(printable(c.Name))+2)
	}
	columns := max(cols/width, 1)
	rows := (len(found) + columns - 1) / columns
	var b strings.Builder
	for row := range rows {
		for i := row; i < len(found); i += rows {
			name := printable(found[i].Name)
			b.WriteString(name)
			if i+rows < len(found) {
				b.WriteString(strings.Repeat(" ", max(width-tool.Columns(name), 1)))
			}
		}
		b.WriteString("\n")
	}
	if more > 0 {
		b.WriteString("and " + itoa(more) + " more\n")
	}
	e.above(b.String())
}

// printable returns a name without what a terminal would act on.
func printable(name string) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' || c >= 0x7f && c < 0xa0 {
			return '?'
		}
		return c
	}, name)
}
