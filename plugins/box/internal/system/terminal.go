package system

import (
	"cmp"
	"fmt"
	"os"
	"strconv"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tty"
)

func clearScreen(e *tool.Env, args []string) int {
	text := "\x1b[H\x1b[2J\x1b[3J"
	for _, a := range args[1:] {
		if a == "-x" {
			text = "\x1b[H\x1b[2J"
		}
	}
	e.Out.WriteString(text)
	return 0
}

// reset makes a terminal usable again that something has left in disorder.
func reset(e *tool.Env, _ []string) int {
	resetTerminal(e)
	return 0
}

func resetTerminal(e *tool.Env) {
	f := cmp.Or(e.ErrTerminal(), e.OutTerminal(), e.InTerminal())
	if f == nil {
		return
	}
	tty.SetModes(f, sane)
	e.Out.WriteString("\x1bc\x1b]104\a\x1b[!p\x1b[?3;4l\x1b[4l\x1b>")
}

// capabilities are those of xterm-256color that scripts ask for.
var capabilities = map[string]string{
	"bel": "\a", "blink": "\x1b[5m", "bold": "\x1b[1m", "civis": "\x1b[?25l", "clear": "\x1b[H\x1b[2J\x1b[3J", "cnorm": "\x1b[?12l\x1b[?25h",
	"cr": "\r", "cub1": "\b", "cud1": "\n", "cuf1": "\x1b[C", "cuu1": "\x1b[A", "dim": "\x1b[2m", "ed": "\x1b[J", "el": "\x1b[K",
	"el1": "\x1b[1K", "home": "\x1b[H", "op": "\x1b[39;49m", "rc": "\x1b8", "rev": "\x1b[7m", "ritm": "\x1b[23m", "rmcup": "\x1b[?1049l\x1b[23;0;0t",
	"rmso": "\x1b[27m", "rmul": "\x1b[24m", "sc": "\x1b7", "sgr0": "\x1b(B\x1b[m", "sitm": "\x1b[3m", "smcup": "\x1b[?1049h\x1b[22;0;0t",
	"smso": "\x1b[7m", "smul": "\x1b[4m",
}

func tput(e *tool.Env, args []string) int {
	words := args[1:]
	for len(words) > 0 && len(words[0]) > 1 && words[0][0] == '-' {
		n := 1
		if words[0] == "-T" {
			n = 2
		}
		words = words[min(n, len(words)):]
	}
	if len(words) == 0 {
		e.Warn("usage: tput [-V] [-S] [-x] [-T term] capname")
		return 2
	}
	number := func(i int) int {
		if i >= len(words) {
			return 0
		}
		n, _ := strconv.Atoi(words[i])
		return n
	}
	switch words[0] {
	case "cols":
		_, cols := terminalSize(e)
		fmt.Fprintln(e.Out, cols)
	case "lines":
		rows, _ := terminalSize(e)
		fmt.Fprintln(e.Out, rows)
	case "colors":
		e.Out.WriteString("256\n")
	case "setaf", "setab":
		color(e, map[string]int{"setaf": 3, "setab": 4}[words[0]], number(1))
	case "cuf", "cub", "cuu", "cud", "ech", "ich", "dch", "il", "dl":
		fmt.Fprintf(e.Out, "\x1b[%d%c", number(1), counted[words[0]])
	case "hpa", "vpa":
		fmt.Fprintf(e.Out, "\x1b[%d%c", number(1)+1, counted[words[0]])
	case "cup":
		fmt.Fprintf(e.Out, "\x1b[%d;%dH", number(1)+1, number(2)+1)
	case "longname":
		e.Out.WriteString("xterm with 256 colors")
	case "init", "reset":
		resetTerminal(e)
	default:
		text, ok := capabilities[words[0]]
		if !ok {
			e.Errorf("unknown terminfo capability '%s'", words[0])
			return 4
		}
		e.Out.WriteString(text)
	}
	return 0
}

// counted are the last bytes of sequences with a number.
var counted = map[string]byte{
	"cuf": 'C', "cub": 'D', "cuu": 'A', "cud": 'B', "ech": 'X', "ich": '@', "dch": 'P', "il": 'L', "dl": 'M', "hpa": 'G', "vpa": 'd',
}

// terminalSize is that of the terminal that a command writes to, or reads.
func terminalSize(e *tool.Env) (rows, cols int) {
	rows, cols = e.Size()
	for _, f := range []*os.File{e.ErrTerminal(), e.InTerminal()} {
		if f != nil {
			t, _ := tty.Get(f)
			rows, cols = cmp.Or(rows, t.Rows), cmp.Or(cols, t.Cols)
		}
	}
	return cmp.Or(rows, 24), cmp.Or(cols, 80)
}

// color is setaf and setab of xterm-256color.
func color(e *tool.Env, plane, n int) {
	switch {
	case n < 8:
		fmt.Fprintf(e.Out, "\x1b[%d%dm", plane, n)
	case n < 16:
		fmt.Fprintf(e.Out, "\x1b[%d%dm", plane+6, n-8)
	default:
		fmt.Fprintf(e.Out, "\x1b[%d8;5;%dm", plane, n)
	}
}

func ttyName(e *tool.Env, args []string) int {
	opts, status := e.Options(args, "s,silent,quiet")
	if opts == nil {
		return status
	}
	if len(opts.Operands) > 0 {
		return e.UsageError("extra operand %s", e.Quote(opts.Operands[0]))
	}
	if e.InTerminal() != nil {
		if !opts.Has("s") {
			e.Out.WriteString("/dev/tty\n")
		}
		return 0
	}
	if !opts.Has("s") {
		e.Out.WriteString("not a tty\n")
	}
	return 1
}
