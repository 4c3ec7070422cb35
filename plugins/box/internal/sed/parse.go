package sed

import (
	"fmt"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/regex"
)

// A parser turns a script into a program. Its messages are those of GNU sed.
type parser struct {
	*source
	extended, sandbox, null bool
	blocks                  []int // indices of the { that are open
	program                 program
	labels                  map[string]int
}

func (p *parser) parse() (*program, error) {
	p.labels = map[string]int{}
	p.line = 1
	if t := p.pieces[0].text; len(t) > 1 && t[0] == '#' && t[1] == 'n' && (len(t) == 2 || t[2] == '\n') {
		p.program.quiet = true
	}
	for {
		c := p.nonSpace()
		for c == ';' {
			c = p.nonSpace()
		}
		if c == eof {
			break
		}
		p.back(c)
		if err := p.command(); err != nil {
			return nil, err
		}
	}
	if len(p.blocks) > 0 {
		return nil, p.errorAt(0, "unmatched `{'")
	}
	for i := range p.program.commands {
		cmd := &p.program.commands[i]
		if strings.IndexByte("btT", cmd.name) < 0 {
			continue
		}
		cmd.block = len(p.program.commands)
		if cmd.label == "" {
			continue
		}
		at, ok := p.labels[cmd.label]
		if !ok {
			return nil, jumpError{cmd.label}
		}
		cmd.block = at
	}
	return &p.program, nil
}

// A jumpError is a jump to a label that does not exist.
type jumpError struct{ label string }

func (e jumpError) Error() string { return fmt.Sprintf("can't find label for jump to `%s'", e.label) }

// command parses one command with its addresses.
func (p *parser) command() error {
	var cmd command
	cmd.number = -1
	if err := p.addresses(&cmd); err != nil {
		return err
	}
	c := p.nonBlank()
	if c == '!' {
		cmd.negate = true
		c = p.nonBlank()
		if c == '!' {
			return p.errorf("multiple `!'s")
		}
	}
	if c == eof || c == '\n' {
		return p.errorf("missing command")
	}
	cmd.name = byte(c)
	if err := p.arguments(&cmd); err != nil {
		return err
	}
	if cmd.name != '#' && cmd.name != '}' {
		p.program.commands = append(p.program.commands, cmd)
	}
	return nil
}

// arguments parses what belongs to a command and what ends it.
func (p *parser) arguments(cmd *command) error {
	switch c := cmd.name; c {
	case '#':
		if cmd.a1 != nil {
			return p.errorf("comments don't accept any addresses")
		}
		for c := p.next(); c != eof && c != '\n'; c = p.next() {
		}
		return nil
	case '{':
		p.blocks = append(p.blocks, len(p.program.commands))
		return nil
	case '}':
		if len(p.blocks) == 0 {
			return p.errorf("unexpected `}'")
		}
		if cmd.a1 != nil {
			return p.errorf("} doesn't want any addresses")
		}
		open := p.blocks[len(p.blocks)-1]
		p.blocks = p.blocks[:len(p.blocks)-1]
		p.program.commands[open].block = len(p.program.commands)
		return p.endCommand()
	case '=', 'd', 'D', 'F', 'g', 'G', 'h', 'H', 'n', 'N', 'p', 'P', 'x', 'z':
		return p.endCommand()
	case 'e':
		if p.sandbox {
			return p.errorf("e/r/w commands disabled in sandbox mode")
		}
		cmd.text = p.restOfLine(p.nonBlank())
		return nil
	case 'a', 'i', 'c':
		return p.text(cmd)
	case ':':
		if cmd.a1 != nil {
			return p.errorf(": doesn't want any addresses")
		}
		cmd.label = p.word(p.nonBlank(), ";")
		if cmd.label == "" {
			return p.errorf("\":\" lacks a label")
		}
		p.labels[cmd.label] = len(p.program.commands)
		return nil
	case 'b', 't', 'T':
		cmd.label = p.word(p.nonBlank(), ";}")
		return p.endCommand()
	case 'q', 'Q':
		if cmd.a2 != nil {
			return p.errorf("command only uses one address")
		}
		fallthrough
	case 'l', 'L':
		c := p.nonBlank()
		if c >= '0' && c <= '9' {
			cmd.number = p.digits(c)
		} else {
			p.back(c)
		}
		return p.endCommand()
	case 'r', 'R', 'w', 'W':
		if p.sandbox {
			return p.errorf("e/r/w commands disabled in sandbox mode")
		}
		name, err := p.fileName()
		cmd.file = name
		if c == 'w' || c == 'W' {
			p.program.outputs = append(p.program.outputs, name)
		}
		return err
	case 's':
		return p.substitute(cmd)
	case 'y':
		return p.transliterate(cmd)
	case 'v':
		version := p.word(p.nonBlank(), ";")
		if version > "4.9" && len(version) > 1 {
			return p.errorf("expected newer version of sed")
		}
		return p.endCommand()
	default:
		return p.errorf("unknown command: `%c'", c)
	}
}

// endCommand skips what may follow a command.
func (p *parser) endCommand() error {
	switch c := p.nonBlank(); c {
	case eof, '\n', ';':
	case '}', '#':
		p.back(c)
	default:
		return p.errorf("extra characters after command")
	}
	return nil
}

func (p *parser) digits(c int) int {
	n := 0
	for ; c >= '0' && c <= '9'; c = p.next() {
		n = min(n*10+c-'0', 1<<40)
	}
	p.back(c)
	return n
}

// word reads from c up to white space or one of ends.
func (p *parser) word(c int, ends string) string {
	var b strings.Builder
	for ; c != eof && c != ' ' && (c < '\t' || c > '\r') && strings.IndexByte(ends, byte(c)) < 0; c = p.next() {
		b.WriteByte(byte(c))
	}
	p.back(c)
	return b.String()
}

func (p *parser) restOfLine(c int) []byte {
	var text []byte
	for ; c != eof && c != '\n'; c = p.next() {
		text = append(text, byte(c))
	}
	return text
}

func (p *parser) fileName() (string, error) {
	name := string(p.restOfLine(p.nonBlank()))
	if name == "" {
		return "", p.errorf("missing filename in r/R/w/W commands")
	}
	return name, nil
}

// text reads the text of a, i and c: behind a backslash and a newline, or on the same line. It goes
// on as long as lines end with a backslash.
func (p *parser) text(cmd *command) error {
	c := p.nonBlank()
	if c == eof {
		return p.errorf("expected \\ after `a', `c' or `i'")
	}
	if c == '\\' {
		c = p.next()
		switch {
		case c == ' ' || c == '\t':
			// a\ with blanks: those before a newline don't count, others begin the text.
			blanks := []byte{}
			for c == ' ' || c == '\t' {
				blanks = append(blanks, byte(c))
				c = p.next()
			}
			if c == '\n' {
				c = p.next()
			} else {
				cmd.text = blanks
			}
		case c == '\n':
			c = p.next()
		}
		if c == eof {
			return nil
		}
	}
	for ; c != eof && c != '\n'; c = p.next() {
		if c == '\\' {
			c = p.next()
			if c == eof {
				break
			}
			if text, ok := p.escape(c); ok {
				cmd.text = append(cmd.text, text)
				continue
			}
		}
		cmd.text = append(cmd.text, byte(c))
	}
	cmd.text = append(cmd.text, '\n')
	return nil
}

// escape reads the rest of an escape that stands for a byte, given the character behind the
// backslash.
func (p *parser) escape(c int) (byte, bool) {
	if i := strings.IndexByte("afnrtv", byte(c)); i >= 0 {
		return "\a\f\n\r\t\v"[i], true
	}
	base, most := 0, 0
	switch c {
	case 'c':
		c = p.next()
		if c == eof {
			return 0, false
		}
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		return byte(c) ^ 0x40, true
	case 'd':
		base, most = 10, 3
	case 'o':
		base, most = 8, 3
	case 'x':
		base, most = 16, 2
	default:
		return 0, false
	}
	n, used := 0, 0
	for used < most {
		c := p.next()
		d := -1
		if c != eof {
			d = strings.IndexByte("0123456789abcdef", byte(c))
			if 'A' <= c && c <= 'F' {
				d = c - 'A' + 10
			}
		}
		if d < 0 || d >= base {
			p.back(c)
			break
		}
		n = n*base + d
		used++
	}
	if used == 0 {
		return 0, false
	}
	return byte(n), true
}

// compile compiles a pattern as it stands between its delimiters; nil is the last pattern used.
func (p *parser) compile(pattern []byte, icase, multiline bool) (*regex.Regexp, error) {
	if len(pattern) == 0 {
		return nil, nil
	}
	re, err := regex.Compile(string(pattern), regex.Options{Extended: p.extended, IgnoreCase: icase, Multiline: multiline && !p.null})
	if err != nil {
		return nil, p.errorf("%v", err)
	}
	return re, nil
}
