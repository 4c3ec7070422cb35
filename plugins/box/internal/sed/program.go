package sed

import (
	"github.com/terrarium-dev/terrarium/plugins/box/internal/regex"
)

// A command is one command of a script with its addresses.
type command struct {
	a1, a2 *address
	negate bool
	name   byte
	block  int    // {: the index behind its }; b, t, T: where to go on
	label  string // b, t, T, :
	text   []byte // a, i, c
	number int    // q, Q: exit status; l, L: line length, -1 if not given
	file   string // r, R, w, W
	sub    *substitution
	table  map[rune]rune // y

	active bool // inside the range
	end    int  // the range's last line, if that is known as a number
}

type addressKind byte

const (
	addrLine   addressKind = iota // n
	addrStep                      // n~m
	addrLast                      // $
	addrRegex                     // /re/
	addrPlus                      // addr1,+n
	addrMult                      // addr1,~n
	addrBefore                    // 0,/re/
)

type address struct {
	kind addressKind
	n, m int
	re   *regex.Regexp // nil: the last one used
}

// A substitution is an s command.
type substitution struct {
	re     *regex.Regexp // nil: the last one used
	parts  []part
	global bool
	print  int
	nth    int
	eval   bool
	file   string
}

// A part is a piece of a replacement: text or a group, after a change of case.
type part struct {
	text  []byte
	group int // -1: only text
	fold  fold
}

// A fold changes the case of what follows it.
type fold byte

const (
	foldNone  fold = iota
	foldUpper      // \U
	foldLower      // \L
	foldEnd        // \E
	foldUp1        // \u
	foldDown1      // \l
)

// A program is a parsed script.
type program struct {
	commands []command
	quiet    bool     // it begins with #n
	outputs  []string // files written by w and s///w
}

// lastLine returns the last line that a command may be selected for, if the commands name their
// lines by numbers.
func (p *program) lastLine() (last int, known bool) {
	for pc := 0; pc < len(p.commands); {
		cmd := &p.commands[pc]
		pc++
		if cmd.name == '{' {
			pc = cmd.block // what is in it is reached through it alone, or by a jump of another
		}
		if cmd.a1 == nil && (cmd.name == ':' || cmd.name == '}') {
			continue
		}
		if cmd.a1 == nil || cmd.negate || cmd.a1.kind != addrLine {
			return 0, false
		}
		end := cmd.a1.n
		switch a2 := cmd.a2; {
		case a2 == nil:
		case a2.kind == addrLine:
			end = max(end, a2.n)
		case a2.kind == addrPlus:
			end += a2.n
		default:
			return 0, false
		}
		last = max(last, end)
	}
	return last, true
}
