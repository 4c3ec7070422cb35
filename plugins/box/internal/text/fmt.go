package text

import (
	"bufio"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

const fmtOptions = "c,crown-margin g,goal= p,prefix= s,split-only t,tagged-paragraph u,uniform-spacing w,width= 0 1 2 3 4 5 6 7 8 9"

// How much fmt has in hand at once: a paragraph that is longer is broken where that costs least.
const (
	maxParagraph      = 5000 // bytes
	maxParagraphWords = 1000
)

// What it costs to break a line somewhere, as GNU's has it: squares of what is ugly.
const (
	lineCost      = 70 * 70
	noBreakCost   = 600 * 600
	widowCost     = 200 * 200
	orphanCost    = 150 * 150
	sentenceBonus = 50 * 50
	parenBonus    = 40 * 40
	punctBonus    = 40 * 40
	lineCredit    = 3 * 3
)

func shortCost(n int) int { return 100 * n * n }

func raggedCost(n int) int { return shortCost(n) / 2 }

// A word is one of the paragraph in hand.
type word struct {
	text   []byte
	space  int // behind it
	paren  bool
	period bool
	punct  bool
	final  bool // ends a sentence

	line int // length of the line that begins with it, if that is where lines are best broken
	cost int // of the lines from it on
	next int // what the line after begins with
}

// A formatter is one run of fmt.
type formatter struct {
	env                           *tool.Env
	crown, tagged, split, uniform bool
	width, goal                   int

	prefix      string // without blanks around it
	prefixLead  int    // blanks before it
	prefixWhole int    // its length with the blanks behind it

	in         *bufio.Reader
	err        error
	tabs       bool // the input has some, so the output may
	column     int  // of the input
	out        int  // of the output
	indent     int  // of the prefix of the paragraph
	nextIndent int  // and of what comes next
	first      int  // where the first line begins
	other      int  // and the others
	nextChar   int
	lastLength int // of the line that was written last
	words      []word
	bytes      int
}

const eof = -1

func format(env *tool.Env, args []string) int {
	short := ""
	if len(args) > 1 && len(args[1]) > 1 && args[1][0] == '-' && isDigit(args[1][1]) {
		short = args[1][1:] // the width
		args = append([]string{args[0]}, args[2:]...)
	}
	opts, status := env.Options(args, fmtOptions)
	if opts == nil {
		return status
	}
	f := &formatter{env: env, width: 75}
	width, goal := short, ""
	for _, o := range opts.Options {
		switch o.Name {
		case "c":
			f.crown = true
		case "g":
			goal = o.Arg
		case "p":
			f.setPrefix(o.Arg)
		case "s":
			f.split = true
		case "t":
			f.tagged = true
		case "u":
			f.uniform = true
		case "w":
			width = o.Arg
		default:
			return env.UsageError("invalid option -- %s; -WIDTH is recognized only when it is the first\noption; use -w N instead", o.Name)
		}
	}
	if !f.setWidth(width, goal) {
		return 1
	}
	names := opts.Operands
	if len(names) == 0 {
		names = []string{"-"}
	}
	for _, name := range names {
		r, err := env.Input(name)
		if err != nil {
			env.Errorf("cannot open %s for reading: %s", tool.QuoteAlways(name), tool.Strerror(err))
			status = 1
			continue
		}
		f.in = bufio.NewReaderSize(r, 64<<10)
		f.format()
		r.Close()
		if f.err != nil {
			// GNU's does not say of which file, either.
			env.Errorf("read error: %s", tool.Strerror(f.err))
			status, f.err = 1, nil
		}
	}
	return status
}

// setWidth takes the options for how long lines are, at most and if possible.
func (f *formatter) setWidth(width, goal string) bool {
	number := func(to *int, s string, most int) bool {
		n, err := strconv.ParseUint(s, 10, 64)
		switch {
		case s == "" || strings.Trim(s, "0123456789") != "":
			f.env.Errorf("invalid width: %s", f.env.Quote(s))
			return false
		case err != nil || n > uint64(most):
			f.env.Errorf("invalid width: %s: Numerical result out of range", f.env.Quote(s))
			return false
		}
		*to = int(n)
		return true
	}
	if width != "" && !number(&f.width, width, maxParagraph/2) {
		return false
	}
	if goal == "" {
		const leeway = 7 // percent
		f.goal = f.width * (2*(100-leeway) + 1) / 200
		return true
	}
	if !number(&f.goal, goal, f.width) {
		return false
	}
	if width == "" {
		f.width = f.goal + 10
	}
	return true
}

func (f *formatter) setPrefix(s string) {
	whole := strings.TrimLeft(s, " ")
	f.prefixLead = len(s) - len(whole)
	f.prefixWhole = len(whole)
	f.prefix = strings.TrimRight(whole, " ")
}

// format formats one input.
func (f *formatter) format() {
	f.tabs, f.other = false, 0
	f.nextChar = f.startLine()
	for !f.env.Stopped() && f.paragraph() {
		f.choose()
		f.write(len(f.words))
	}
}

func (f *formatter) char() int {
	c, err := f.in.ReadByte()
	if err == nil {
		return int(c)
	}
	if err != io.EOF {
		f.err = err
	}
	return eof
}

// skipBlanks goes over blanks, of which c is the first if there are any.
func (f *formatter) skipBlanks(c int) int {
	for ; ; c = f.char() {
		switch c {
		case ' ':
			f.column++
		case '\t':
			f.tabs = true
			f.column = (f.column/8 + 1) * 8
		default:
			return c
		}
	}
}

// startLine goes over the prefix of a line, and returns what follows.
func (f *formatter) startLine() int {
	f.column = 0
	c := f.skipBlanks(f.char())
	if f.prefix == "" {
		f.nextIndent = min(f.prefixLead, f.column)
		return c
	}
	f.nextIndent = f.column
	for i := range len(f.prefix) {
		if c != int(f.prefix[i]) {
			return c
		}
		f.column++
		c = f.char()
	}
	return f.skipBlanks(c)
}

// paragraph reads the next one, and copies what is in none before it. It returns false if there is
// none.
func (f *formatter) paragraph() bool {
	f.lastLength = 0
	c := f.nextChar
	for c == '\n' || c == eof || f.nextIndent < f.prefixLead || f.column < f.nextIndent+f.prefixWhole {
		c = f.copyRest(c)
		if c == eof {
			f.nextChar = eof
			return false
		}
		f.env.Out.WriteByte('\n')
		c = f.startLine()
	}
	f.indent, f.first = f.nextIndent, f.column
	f.words, f.bytes = f.words[:0], 0
	c = f.line(c)
	f.setOther(f.goesOn(c))
	if !f.split && (!f.tagged || f.crown || f.column != f.first) {
		for f.goesOn(c) && f.column == f.other {
			c = f.line(c)
		}
	}
	last := &f.words[len(f.words)-1]
	last.period, last.final = true, true
	f.nextChar = c
	return true
}

// setOther settles where all lines but the first begin.
func (f *formatter) setOther(goesOn bool) {
	switch {
	case f.split:
		f.other = f.first
	case f.crown:
		f.other = f.first
		if goesOn {
			f.other = f.column
		}
	case f.tagged:
		switch {
		case goesOn && f.column != f.first:
			f.other = f.column
		case f.other == f.first && f.first == 0:
			f.other = 3
		case f.other == f.first:
			f.other = 0
		}
	default:
		f.other = f.first
	}
}

// goesOn reports whether the line that begins with c may belong to the paragraph.
func (f *formatter) goesOn(c int) bool {
	return f.nextIndent == f.indent && f.column >= f.nextIndent+f.prefixWhole && c != '\n' && c != eof
}

// copyRest copies a line as it is, and returns what ends it.
func (f *formatter) copyRest(c int) int {
	f.out = 0
	if f.column > f.nextIndent || c != '\n' && c != eof {
		f.spaces(f.nextIndent)
		for i := 0; f.out != f.column && i < len(f.prefix); i++ {
			f.env.Out.WriteByte(f.prefix[i])
			f.out++
		}
		if c != eof && c != '\n' {
			f.spaces(f.column - f.out)
		}
		if c == eof && f.column >= f.nextIndent+len(f.prefix) {
			f.env.Out.WriteByte('\n')
		}
	}
	for ; c != '\n' && c != eof; c = f.char() {
		f.env.Out.WriteByte(byte(c))
	}
	return c
}

// line reads the words of a line that begins with c, and the prefix of the next.
func (f *formatter) line(c int) int {
	for {
		var text []byte
		for {
			if f.bytes == maxParagraph {
				f.setOther(true)
				text = f.flush(text)
			}
			text = append(text, byte(c))
			f.bytes++
			if c = f.char(); c == eof || strings.IndexByte(" \t\n\v\f\r", byte(c)) >= 0 {
				break
			}
		}
		w := word{text: text}
		f.column += len(text)
		w.look()
		start := f.column
		c = f.skipBlanks(c)
		w.space = f.column - start
		w.final = c == eof || w.period && (c == '\n' || w.space > 1)
		if c == '\n' || c == eof || f.uniform {
			w.space = 1
			if w.final {
				w.space = 2
			}
		}
		if len(f.words) == maxParagraphWords-2 {
			f.setOther(true)
			w.text = f.flush(w.text)
		}
		f.words = append(f.words, w)
		if c == '\n' || c == eof {
			return f.startLine()
		}
	}
}

// look sees how a word begins and ends.
func (w *word) look() {
	last := len(w.text) - 1
	w.paren = strings.IndexByte("(['`\"", w.text[0]) >= 0
	w.punct = strings.IndexByte("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", w.text[last]) >= 0
	for last > 0 && strings.IndexByte(")]'\"", w.text[last]) >= 0 {
		last--
	}
	w.period = strings.IndexByte(".?!", w.text[last]) >= 0
}

// flush writes some lines of a paragraph that is too long. text is the word that is being read;
// what is left of it is returned.
func (f *formatter) flush(text []byte) []byte {
	if len(f.words) == 0 {
		f.env.Out.Write(text)
		f.bytes = 0
		return text[:0]
	}
	f.choose()
	at, best := len(f.words), math.MaxInt
	for i := f.words[0].next; i != len(f.words); i = f.words[i].next {
		after := 0
		if n := f.words[i].next; n < len(f.words) {
			after = f.words[n].cost
		}
		if cost := f.words[i].cost - after; cost < best {
			at, best = i, cost
		}
		if best <= math.MaxInt-lineCredit {
			best += lineCredit
		}
	}
	f.write(at)
	f.words = append(f.words[:0], f.words[at:]...)
	f.bytes = len(text)
	for _, w := range f.words {
		f.bytes += len(w.text)
	}
	return text
}

// choose finds where breaking lines costs least, from the last word to the first.
func (f *formatter) choose() {
	words := f.words
	for start := len(words) - 1; start >= 0; start-- {
		length := f.other
		if start == 0 {
			length = f.first
		}
		length += len(words[start].text)
		best := math.MaxInt
		for i := start + 1; ; i++ {
			cost := f.lineCost(i, length)
			if i < len(words) {
				cost += words[i].cost
			}
			if start == 0 && f.lastLength > 0 {
				cost += raggedCost(length - f.lastLength)
			}
			if cost < best {
				best = cost
				words[start].next, words[start].line = i, length
			}
			if i == len(words) {
				break
			}
			length += words[i-1].space + len(words[i].text)
			if length >= f.width {
				break
			}
		}
		words[start].cost = best + f.baseCost(start)
	}
}

// lineCost is what a line of a length costs that ends before a word.
func (f *formatter) lineCost(next, length int) int {
	if next == len(f.words) {
		return 0
	}
	cost := shortCost(f.goal - length)
	if w := f.words[next]; w.next != len(f.words) {
		cost += raggedCost(length - w.line)
	}
	return cost
}

// baseCost is what it costs to begin a line with a word.
func (f *formatter) baseCost(i int) int {
	cost := lineCost
	if i > 0 {
		switch before := f.words[i-1]; {
		case before.period && before.final:
			cost -= sentenceBonus
		case before.period:
			cost += noBreakCost
		case before.punct:
			cost -= punctBonus
		case i > 1 && f.words[i-2].final:
			cost += widowCost / (len(before.text) + 2)
		}
	}
	switch w := f.words[i]; {
	case w.paren:
		cost -= parenBonus
	case w.final:
		cost += orphanCost / (len(w.text) + 2)
	}
	return cost
}

// write writes the lines before a word.
func (f *formatter) write(end int) {
	indent := f.first
	for i := 0; i != end; i = f.words[i].next {
		f.out = 0
		f.spaces(f.indent)
		f.env.Out.WriteString(f.prefix)
		f.out += len(f.prefix)
		f.spaces(indent - f.out)
		last := f.words[i].next - 1
		for k := i; k <= last; k++ {
			w := &f.words[k]
			f.env.Out.Write(w.text)
			f.out += len(w.text)
			if k < last {
				f.spaces(w.space)
			}
		}
		f.lastLength = f.out
		f.env.Out.WriteByte('\n')
		indent = f.other
	}
}

// spaces writes blanks, with tabs where the input has some.
func (f *formatter) spaces(n int) {
	target := f.out + n
	if tab := target / 8 * 8; f.tabs && f.out+1 < tab {
		for ; f.out < tab; f.out = (f.out/8 + 1) * 8 {
			f.env.Out.WriteByte('\t')
		}
	}
	for ; f.out < target; f.out++ {
		f.env.Out.WriteByte(' ')
	}
}
