package system

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tty"
	"github.com/terrarium-dev/terrarium/plugins/proc"
)

// A pager is one call of less, or of more.
type pager struct {
	*tool.Env
	keys *os.File // where what is typed is read: the input may be what is shown
	out  *os.File // the terminal that is written to

	// Options.
	raw, chop, number, oneScreen, quitAtEnd, keepScreen, more bool
	ignoreCase, everyCase                                     bool
	commands                                                  string // to begin with, of +

	names []string // of files
	file  int      // which is shown
	text  *pages

	rows, cols int
	top        int // the first row that is shown, of a line: see pages
	part       int // which row of that line
	left       int // columns that are left out, with chop
	pattern    search
	backward   bool
	message    string
	pending    string // keys that are taken before those that are typed
	quit       bool
	status     int
}

// page is less and more. Without a person at a terminal everything comes at once.
func page(e *tool.Env, args []string) int {
	p := &pager{Env: e, out: e.OutTerminal(), more: e.Name == "more"}
	if status, ok := p.parse(args[1:]); !ok {
		return status
	}
	if p.out != nil {
		p.keys = tty.Open()
	}
	if p.keys == nil {
		return e.Each(p.names, func(_ string, r io.Reader) error {
			_, err := io.Copy(e.Out, r)
			return err
		})
	}
	defer p.keys.Close()
	return p.run()
}

// parse reads LESS and the arguments.
func (p *pager) parse(args []string) (status int, ok bool) {
	if !p.more {
		for _, word := range strings.Fields(p.Getenv("LESS")) {
			if word[0] != '-' && word[0] != '+' {
				word = "-" + word
			}
			p.option(word)
		}
	}
	operands := false
	for _, a := range args {
		switch {
		case a == "--" && !operands:
			operands = true
		case a == "--version" && !operands:
			fmt.Fprintln(p.Out, p.Name+" (Terrarium box), as less 590")
			return 0, false
		case !operands && len(a) > 1 && (a[0] == '-' || a[0] == '+'):
			p.option(a)
		default:
			p.names = append(p.names, a)
		}
	}
	if len(p.names) == 0 {
		if p.InTerminal() != nil {
			p.Warn(map[bool]string{false: `Missing filename ("less --help" for help)`, true: "more: bad usage"}[p.more])
			return 1, false
		}
		p.names = []string{"-"}
	}
	return 0, true
}

// option applies an argument. Options that make no difference here are taken.
func (p *pager) option(a string) {
	if a[0] == '+' {
		p.commands += strings.TrimPrefix(a[1:], "+")
		if c := a[1:]; c != "" && (c[0] == '/' || c[0] == '?') {
			p.commands += "\r"
		}
		return
	}
	switch a {
	case "--RAW-CONTROL-CHARS", "--raw-control-chars":
		a = "-R"
	case "--chop-long-lines":
		a = "-S"
	case "--LINE-NUMBERS":
		a = "-N"
	case "--quit-if-one-screen":
		a = "-F"
	case "--no-init":
		a = "-X"
	case "--QUIT-AT-EOF", "--quit-at-eof":
		a = "-E"
	case "--ignore-case":
		a = "-i"
	}
	if strings.HasPrefix(a, "--") {
		return
	}
	for _, letter := range a[1:] {
		switch letter {
		case 'R', 'r':
			p.raw = true
		case 'S':
			p.chop = true
		case 'N':
			p.number = true
		case 'F':
			p.oneScreen = true
		case 'E', 'e':
			p.quitAtEnd = true
		case 'X':
			p.keepScreen = true
		case 'i':
			p.ignoreCase = true
		case 'I':
			p.everyCase = true
		case 'P', 'p', 'x', 'z', 'j', 'b', 'h', 'k', 'o', 'O', 't', 'T', 'y', 'D', '#':
			return // the rest is its argument
		}
	}
}

// run shows the files until somebody quits.
func (p *pager) run() int {
	if !p.open(0) {
		return p.status
	}
	p.measure()
	if (p.oneScreen || p.more) && len(p.names) == 1 && p.fits() {
		return p.print()
	}
	restore, err := tty.Change(p.keys, proc.Canonical|proc.Echo|proc.Signals|proc.Returns, 0)
	if err != nil {
		return p.print()
	}
	defer restore()
	if !p.keepScreen && !p.more {
		io.WriteString(p.out, "\x1b[?1049h")
		defer io.WriteString(p.out, "\r\x1b[K\x1b[?1049l")
	} else {
		// What was there scrolls out, and is not drawn over.
		io.WriteString(p.out, strings.Repeat("\n", p.rows-1))
		defer io.WriteString(p.out, "\r\x1b[K")
	}
	sized := make(chan struct{}, 1)
	stop, err := tty.Watch(p.out, func() {
		select {
		case sized <- struct{}{}:
		default:
		}
	})
	if err == nil {
		defer stop()
	}
	p.pending = p.commands
	typed := make(chan byte)
	asks := make(chan struct{})
	go p.listen(typed, asks) // ends with a key that nobody waits for, or with the input
	defer close(asks)
	for !p.quit && !p.Stopped() {
		if p.pending == "" {
			p.draw()
		}
		k, ok := p.key(typed, asks, sized)
		if !ok {
			break
		}
		p.press(k, func() (byte, bool) { return p.key(typed, asks, nil) })
	}
	return p.status
}

// listen reads a key each time it is asked.
func (p *pager) listen(typed chan<- byte, asks <-chan struct{}) {
	defer close(typed)
	for range asks {
		var b [1]byte
		if n, err := p.keys.Read(b[:]); n == 0 || err != nil {
			return
		}
		select {
		case typed <- b[0]:
		case <-p.Context.Done():
			return
		}
	}
}

// key waits for a key. Where the terminal gets another size meanwhile, it draws again.
func (p *pager) key(typed <-chan byte, asks chan<- struct{}, sized <-chan struct{}) (byte, bool) {
	if p.pending != "" {
		k := p.pending[0]
		p.pending = p.pending[1:]
		return k, true
	}
	select {
	case asks <- struct{}{}:
	case b, ok := <-typed:
		return b, ok
	}
	for {
		select {
		case b, ok := <-typed:
			return b, ok
		case <-sized:
			p.measure()
			p.draw()
		case <-p.Context.Done():
			return 0, false
		}
	}
}

func (p *pager) measure() {
	t, _ := tty.Get(p.out)
	p.rows, p.cols = t.Rows, t.Cols
	if p.rows < 2 || p.cols < 2 {
		p.rows, p.cols = 24, 80
	}
}

// open shows another file, if it can be read.
func (p *pager) open(file int) bool {
	r, err := p.Input(p.names[file])
	if err == nil {
		var text *pages
		if text, err = newPages(r); err == nil {
			p.text, p.file, p.top, p.part, p.left = text, file, 0, 0, 0
			return true
		}
	}
	p.FileError(p.names[file], err)
	p.status = 1
	return false
}

// print writes the file as it is.
func (p *pager) print() int {
	for line := 0; ; line++ {
		text, ok := p.text.line(line)
		if !ok {
			return p.status
		}
		p.Out.WriteString(text)
		p.Out.WriteByte('\n')
	}
}

// fits reports whether all of the file is on one screen.
func (p *pager) fits() bool {
	rows := 0
	for line := 0; rows < p.rows; line++ {
		text, ok := p.text.line(line)
		if !ok {
			return true
		}
		rows += p.height(text)
	}
	return false
}

// name is how the file is called.
func (p *pager) name() string {
	if p.names[p.file] == "-" {
		return ""
	}
	return p.names[p.file]
}

// prompt is what stands in the last row.
func (p *pager) prompt() string {
	end := p.atEnd()
	switch {
	case p.message != "":
		return "\x1b[7m" + p.message + "\x1b[27m"
	case p.more:
		return "\x1b[7m--More--\x1b[27m"
	case end && len(p.names) > p.file+1:
		return "\x1b[7m(END) - Next: " + p.names[p.file+1] + "\x1b[27m"
	case end:
		return "\x1b[7m(END)\x1b[27m"
	case p.top == 0 && p.part == 0 && p.name() != "":
		more := ""
		if len(p.names) > 1 {
			more = " (file " + strconv.Itoa(p.file+1) + " of " + strconv.Itoa(len(p.names)) + ")"
		}
		return "\x1b[7m" + p.name() + more + "\x1b[27m"
	}
	return ":"
}
