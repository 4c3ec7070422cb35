package system

import (
	"fmt"
	"io"
	"strconv"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// page is less and more: everything at once, since nobody is there to turn pages.
func page(e *tool.Env, args []string) int {
	var names []string
	operands := false
	for _, a := range args[1:] {
		switch {
		case a == "--":
			operands = true
		case !operands && len(a) > 1 && (a[0] == '-' || a[0] == '+'):
		default:
			names = append(names, a)
		}
	}
	return e.Each(names, func(_ string, r io.Reader) error {
		_, err := io.Copy(e.Out, r)
		return err
	})
}

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
		size(e, "COLUMNS", 80)
	case "lines":
		size(e, "LINES", 24)
	case "colors":
		e.Out.WriteString("256\n")
	case "setaf", "setab":
		color(e, map[string]int{"setaf": 3, "setab": 4}[words[0]], number(1))
	case "cup":
		fmt.Fprintf(e.Out, "\x1b[%d;%dH", number(1)+1, number(2)+1)
	case "longname":
		e.Out.WriteString("xterm with 256 colors")
	case "init", "reset":
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

func size(e *tool.Env, variable string, otherwise int) {
	n, err := strconv.Atoi(e.Getenv(variable))
	if err != nil || n < 1 {
		n = otherwise
	}
	fmt.Fprintln(e.Out, n)
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

// stty knows of no terminal: the box has pipes only.
func stty(e *tool.Env, _ []string) int {
	e.Errorf("'standard input': Inappropriate ioctl for device")
	return 1
}

func tty(e *tool.Env, args []string) int {
	opts, status := e.Options(args, "s,silent,quiet")
	if opts == nil {
		return status
	}
	if len(opts.Operands) > 0 {
		return e.UsageError("extra operand %s", e.Quote(opts.Operands[0]))
	}
	if !opts.Has("s") {
		e.Out.WriteString("not a tty\n")
	}
	return 1
}
