package sed

import (
	"bytes"
	"errors"
	"strconv"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/regex"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// maxSpace bounds the pattern space and the hold space, in bytes.
const maxSpace = 64 << 20

var (
	errSpace   = tool.ErrMemory
	errNoRegex = errors.New("no previous regular expression")
)

// An execution is a script at work.
type execution struct {
	env     *tool.Env
	program *program
	in      *input
	out     *output // where the pattern space goes
	files   outputs // of w
	quiet   bool    // -n
	posix   bool
	width   int // of l

	line     int
	space    []byte
	hold     []byte
	open     bool // the pattern space is a last line without a newline
	holdOpen bool // so is the hold space
	scratch  []byte
	lastRE   *regex.Regexp
	replaced bool // since the last line was read or t was taken
	after    []appended
	readers  map[string]*tool.Lines // of R
	quit     bool
	restart  bool // D: the next cycle reads no line
	status   int
}

// appended is output that waits for the end of the cycle: text, or a file's content.
type appended struct {
	text []byte
	file string
	line bool // text is a line of R
}

// run runs the script on all lines.
func (x *execution) run() error {
	last, known := x.program.lastLine()
	skips := known && x.quiet && !x.in.separate
	for !x.quit && !x.env.Stopped() {
		if skips && x.line >= last {
			x.in.skip()
			break
		}
		if x.restart {
			x.restart = false
		} else if !x.read() {
			break
		}
		if err := x.cycle(); err != nil {
			return err
		}
	}
	return x.in.err
}

// read makes the next line the pattern space.
func (x *execution) read() bool {
	line, first, ok := x.in.next()
	if !ok {
		return false
	}
	if first {
		x.line = 0
	}
	x.line++
	x.replaced = false
	x.open = !x.in.ended
	x.space = append(x.space[:0], line...)
	return true
}

// endCycle writes the pattern space, if wanted, and what was appended.
func (x *execution) endCycle(print bool) error {
	if print && !x.quiet {
		x.print(x.space)
	}
	return x.flushAppended()
}

// print writes p as a line. The last line has a newline only if the input's had one.
func (x *execution) print(p []byte) { x.printTo(x.out, p) }

func (x *execution) printTo(o *output, p []byte) { o.line(p, x.in.delim, !x.open) }

func (x *execution) flushAppended() error {
	for _, a := range x.after {
		switch {
		case a.file != "":
			// What can't be read is as good as empty.
			if p, err := x.env.ReadFile(a.file); err == nil {
				x.out.text(p, x.in.delim)
			}
		case a.line:
			x.out.line(a.text, x.in.delim, true)
		default:
			x.out.text(a.text, x.in.delim)
		}
	}
	x.after = x.after[:0]
	return nil
}

// regexp returns re, or the last one used if re is nil, and remembers it.
func (x *execution) regexp(re *regex.Regexp) (*regex.Regexp, error) {
	if re == nil {
		re = x.lastRE
	}
	if re == nil {
		return nil, errNoRegex
	}
	x.lastRE = re
	return re, nil
}

// cycle runs the script once.
func (x *execution) cycle() error {
	commands := x.program.commands
	for pc := 0; pc < len(commands); {
		cmd := &commands[pc]
		selected, err := x.selects(cmd)
		if err != nil {
			return err
		}
		if selected == cmd.negate {
			pc++
			if cmd.name == '{' {
				pc = cmd.block
			}
			continue
		}
		next, err := x.step(cmd, pc)
		if err != nil {
			return err
		}
		if next == endNow {
			return x.flushAppended()
		}
		if next <= pc && x.env.Stopped() {
			return nil
		}
		pc = next
	}
	return x.endCycle(true)
}

// endNow ends a cycle without printing the pattern space.
const endNow = -1

// step runs one command and returns the index of the next one, or endNow.
func (x *execution) step(cmd *command, pc int) (int, error) {
	delim := x.in.delim
	switch cmd.name {
	case '=':
		x.out.text(strconv.AppendInt(nil, int64(x.line), 10), delim)
		x.out.WriteByte('\n')
	case 'a':
		x.after = append(x.after, appended{text: cmd.text})
	case 'b':
		return cmd.block, nil
	case 'c':
		if cmd.a2 == nil || !cmd.active || cmd.negate {
			x.out.text(cmd.text, delim)
		}
		return endNow, nil
	case 'd':
		return endNow, nil
	case 'D':
		i := bytes.IndexByte(x.space, delim)
		if i < 0 {
			return endNow, nil
		}
		x.space = append(x.space[:0], x.space[i+1:]...)
		x.restart = true
		return endNow, nil
	case 'e':
		return pc + 1, x.execute(cmd.text)
	case 'F':
		x.out.text([]byte(x.in.name+"\n"), delim)
	case 'g':
		x.space, x.open = append(x.space[:0], x.hold...), x.holdOpen
	case 'G':
		x.space, x.open = append(append(x.space, delim), x.hold...), x.holdOpen
		return pc + 1, x.bounded()
	case 'h':
		x.hold, x.holdOpen = append(x.hold[:0], x.space...), x.open
	case 'H':
		x.hold, x.holdOpen = append(append(x.hold, delim), x.space...), x.open
		return pc + 1, x.bounded()
	case 'i':
		x.out.text(cmd.text, delim)
	case 'l':
		width := x.width
		if cmd.number >= 0 {
			width = cmd.number
		}
		x.out.text(list(x.space, width), delim)
	case 'n':
		return x.next(pc)
	case 'N':
		return x.appendNext(pc)
	case 'p':
		x.print(x.space)
	case 'P':
		p := x.space
		if i := bytes.IndexByte(p, delim); i >= 0 {
			x.out.line(p[:i], delim, true)
		} else {
			x.print(p)
		}
	case 'q', 'Q':
		x.quit = true
		x.status = max(cmd.number, 0)
		if cmd.name == 'Q' {
			x.after = x.after[:0]
			return endNow, nil
		}
		return len(x.program.commands), nil
	case 'r':
		x.after = append(x.after, appended{file: cmd.file})
	case 'R':
		x.readLine(cmd.file)
	case 's':
		return pc + 1, x.stepSubstitute(cmd.sub)
	case 't', 'T':
		take := x.replaced == (cmd.name == 't')
		x.replaced = false
		if take {
			return cmd.block, nil
		}
	case 'w':
		x.printTo(x.files[cmd.file], x.space)
		x.files[cmd.file].Flush()
	case 'W':
		p, _, _ := bytes.Cut(x.space, []byte{delim})
		x.files[cmd.file].line(p, delim, true)
		x.files[cmd.file].Flush()
	case 'x':
		x.space, x.hold, x.open, x.holdOpen = x.hold, x.space, x.holdOpen, x.open
	case 'y':
		x.transliterate(cmd.table)
	case 'z':
		x.space = x.space[:0]
	}
	return pc + 1, nil
}

func (x *execution) bounded() error {
	if len(x.space) > maxSpace || len(x.hold) > maxSpace {
		return errSpace
	}
	return nil
}

// next is n: the pattern space is written and the next line read. Where there is none the script
// ends.
func (x *execution) next(pc int) (int, error) {
	if x.in.last() && (!x.in.separate || len(x.in.names) == 0) {
		x.quit = true
		if x.posix {
			return endNow, nil
		}
		return len(x.program.commands), nil
	}
	if err := x.endCycle(true); err != nil {
		return 0, err
	}
	if !x.read() {
		x.quit = true
		return endNow, nil
	}
	return pc + 1, nil
}

// appendNext is N. At the end of the input GNU prints the pattern space, POSIX does not.
func (x *execution) appendNext(pc int) (int, error) {
	if x.in.last() && (!x.in.separate || len(x.in.names) == 0) {
		x.quit = true
		if x.posix {
			return endNow, nil
		}
		return len(x.program.commands), nil
	}
	if err := x.flushAppended(); err != nil {
		return 0, err
	}
	line, first, ok := x.in.next()
	if !ok {
		x.quit = true
		return len(x.program.commands), nil
	}
	if first {
		x.line = 0
	}
	x.line++
	x.open = !x.in.ended
	x.space = append(append(x.space, x.in.delim), line...)
	return pc + 1, x.bounded()
}

func (x *execution) stepSubstitute(s *substitution) error {
	done, err := x.substitute(s)
	if err != nil || !done {
		return err
	}
	x.replaced = true
	if s.eval {
		if err := x.evaluate(); err != nil {
			return err
		}
	}
	if s.print > 0 {
		x.print(x.space)
	}
	if s.file != "" {
		x.printTo(x.files[s.file], x.space)
		x.files[s.file].Flush()
	}
	return nil
}

// readLine is R: one line of a file, at the end of the cycle.
func (x *execution) readLine(name string) {
	if x.readers == nil {
		x.readers = map[string]*tool.Lines{}
	}
	lines, ok := x.readers[name]
	if !ok {
		if f, err := x.env.Input(name); err == nil {
			lines = tool.NewLines(f, x.in.delim)
		}
		x.readers[name] = lines
	}
	if lines == nil {
		return
	}
	if line, ok := lines.Next(); ok {
		x.after = append(x.after, appended{text: bytes.Clone(line), line: true})
	}
}
