package find

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/process"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

const xargsOptions = "+ 0,null a,arg-file= d,delimiter= E= e,eof? I= i,replace? L,max-lines= l n,max-args= o,open-tty P,max-procs= p,interactive " +
	"process-slot-var= r,no-run-if-empty s,max-chars= show-limits t,verbose x,exit"

// xargsRun is one run of xargs.
type xargsRun struct {
	env      *tool.Env
	command  []string
	replace  string // with -I
	perRun   int    // arguments of one command, 0 for all that fit
	lines    int    // lines of one command, 0 for no matter
	maxChars int
	delim    int         // -1: white space and quotes
	items    *tool.Lines // that end with delim
	eof      string
	verbose  bool
	prompt   bool
	ifEmpty  bool
	status   int
	stop     bool
}

// maxItem bounds one argument, in bytes, as Linux does.
const maxItem = 128 << 10

func xargs(env *tool.Env, args []string) int {
	opts, status := env.Options(args, xargsOptions)
	if opts == nil {
		return status
	}
	x := &xargsRun{env: env, command: opts.Operands, delim: -1, ifEmpty: true, maxChars: maxItem}
	file := "-"
	for _, o := range opts.Options {
		if o.Name == "a" {
			file = o.Arg
			continue
		}
		if !x.option(o.Name, o.Arg, o.Set) {
			return 1
		}
	}
	if len(x.command) == 0 {
		x.command = []string{"echo"}
	}
	r, err := env.Input(file)
	if err != nil {
		env.Errorf("Cannot open input file %s: %s", env.Quote(file), tool.Strerror(err))
		return 1
	}
	defer r.Close()
	if err := x.run(bufio.NewReader(r)); err != nil {
		env.Errorf("%v", err)
		return 1
	}
	return x.status
}

func (x *xargsRun) option(name, arg string, set bool) bool {
	switch name {
	case "0":
		x.delim = 0
	case "d":
		c, ok := delimiter(arg)
		if !ok {
			x.env.Errorf("Invalid input delimiter specification %s: the delimiter must be either a single character or an escape sequence starting with \\.", arg)
			return false
		}
		x.delim = int(c)
	case "E", "e":
		x.eof = arg
	case "I", "i":
		if x.replace = arg; !set {
			x.replace = "{}"
		}
		if x.perRun > 0 {
			x.exclusive("--max-args", "--replace/-I/-i")
		}
		x.perRun, x.lines = 0, 0
	case "L":
		x.perRun, x.replace = 0, ""
		return x.number(name, arg, &x.lines)
	case "l":
		x.lines = 1
	case "n":
		x.lines = 0
		if !x.number(name, arg, &x.perRun) {
			return false
		}
		if x.replace != "" && x.perRun > 1 {
			x.exclusive("--replace/-I/-i", "--max-args")
			x.replace = ""
		} else if x.replace != "" {
			x.perRun = 0 // -I means one at a time already
		}
	case "s":
		return x.number(name, arg, &x.maxChars)
	case "P":
		n, err := strconv.Atoi(arg)
		if err != nil || n < 0 {
			x.env.Errorf("invalid number \"%s\" for -P option", arg)
			return false
		}
	case "p":
		x.prompt, x.verbose = true, true
	case "r":
		x.ifEmpty = false
	case "t":
		x.verbose = true
	}
	return true
}

// exclusive warns of an option that another one undoes.
func (x *xargsRun) exclusive(old, now string) {
	a, b := old, now
	if a != "--max-args" {
		a, b = b, a
	}
	x.env.Errorf("warning: options %s and %s are mutually exclusive, ignoring previous %s value", a, b, old)
}

func (x *xargsRun) number(name, arg string, to *int) bool {
	n, err := strconv.Atoi(arg)
	if err != nil {
		x.env.Errorf("invalid number \"%s\" for -%s option", arg, name)
		x.env.TryHelp()
		return false
	}
	if n < 1 {
		x.env.Errorf("value %s for -%s option should be >= 1", arg, name)
		x.env.TryHelp()
		return false
	}
	*to = n
	return true
}

// delimiter reads the argument of -d: a character or an escape.
func delimiter(s string) (byte, bool) {
	if len(s) == 1 {
		return s[0], true
	}
	if len(s) < 2 || s[0] != '\\' {
		return 0, false
	}
	if i := strings.IndexByte(`abfnrtv\`, s[1]); i >= 0 && len(s) == 2 {
		return "\a\b\f\n\r\t\v\\"[i], true
	}
	base, digits := 8, s[1:]
	if s[1] == 'x' {
		base, digits = 16, s[2:]
	}
	n, err := strconv.ParseUint(digits, base, 8)
	return byte(n), err == nil
}

// run reads arguments and runs the command for as many at once as it may.
func (x *xargsRun) run(r *bufio.Reader) error {
	fixed := 0
	for _, a := range x.command {
		fixed += len(a) + 1
	}
	var args []string
	size, lines, ran := fixed, 0, false
	flush := func() {
		ran = true
		x.exec(append(append([]string{}, x.command...), args...))
		args, size, lines = nil, fixed, 0
	}
	for !x.stop && !x.env.Stopped() {
		item, endsLine, err := x.next(r)
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if len(item) > maxItem {
			return errors.New("argument line too long")
		}
		if x.replace != "" {
			ran = true
			x.substitute(item)
			continue
		}
		if size+len(item)+1 > x.maxChars {
			if len(args) == 0 {
				return errors.New("argument line too long")
			}
			flush()
		}
		args = append(args, item)
		size += len(item) + 1
		if endsLine {
			lines++
		}
		if x.perRun > 0 && len(args) == x.perRun || x.lines > 0 && lines == x.lines {
			flush()
		}
	}
	if x.stop || x.env.Stopped() {
		return nil
	}
	if len(args) > 0 || !ran && x.ifEmpty && x.replace == "" {
		flush()
	}
	return nil
}

func (x *xargsRun) substitute(item string) {
	args := make([]string, len(x.command))
	for i, a := range x.command {
		args[i] = strings.ReplaceAll(a, x.replace, item)
	}
	x.exec(args)
}

// next returns the next argument, and whether its line ended with it. The error is io.EOF at the
// end.
func (x *xargsRun) next(r *bufio.Reader) (item string, endsLine bool, err error) {
	if x.delim >= 0 {
		if x.items == nil {
			x.items = tool.NewLines(r, byte(x.delim))
		}
		p, ok := x.items.Next()
		if !ok {
			return "", false, cmp.Or(x.items.Err(), io.EOF)
		}
		return string(p), true, nil
	}
	if x.replace != "" {
		item, err = x.wholeLine(r)
	} else {
		item, endsLine, err = x.word(r)
	}
	if err == nil && x.eof != "" && item == x.eof {
		return "", false, io.EOF
	}
	return item, endsLine, err
}

// wholeLine is an argument of -I: a line without leading blanks, with quotes taken out.
func (x *xargsRun) wholeLine(r *bufio.Reader) (string, error) {
	for {
		var b strings.Builder
		started := false
		for {
			c, err := r.ReadByte()
			if err != nil {
				if started {
					return b.String(), nil
				}
				return "", io.EOF
			}
			if c == '\n' {
				break
			}
			if !started && (c == ' ' || c == '\t') {
				continue
			}
			started = true
			if err := x.quoted(r, c, &b); err != nil {
				return "", err
			}
		}
		if started {
			return b.String(), nil
		}
	}
}

// word is a default argument: it ends at white space outside of quotes. A line that ends in blanks
// goes on.
func (x *xargsRun) word(r *bufio.Reader) (string, bool, error) {
	var b strings.Builder
	started := false
	for {
		c, err := r.ReadByte()
		if err != nil {
			if started {
				return b.String(), true, nil
			}
			return "", false, io.EOF
		}
		if c == ' ' || '\t' <= c && c <= '\r' {
			if started {
				return b.String(), c == '\n', nil
			}
			continue
		}
		started = true
		if err := x.quoted(r, c, &b); err != nil {
			return "", false, err
		}
	}
}

// quoted adds c, or what is quoted behind it.
func (x *xargsRun) quoted(r *bufio.Reader, c byte, b *strings.Builder) error {
	if b.Len() > x.maxChars {
		return errors.New("argument line too long")
	}
	switch c {
	case '\\':
		if n, err := r.ReadByte(); err == nil {
			b.WriteByte(n)
		}
	case '\'', '"':
		kind := "single"
		if c == '"' {
			kind = "double"
		}
		for {
			n, err := r.ReadByte()
			if err != nil || n == '\n' {
				return fmt.Errorf("unmatched %s quote; by default quotes are special to xargs unless you use the -0 option", kind)
			}
			if n == c {
				return nil
			}
			b.WriteByte(n)
		}
	default:
		b.WriteByte(c)
	}
	return nil
}

// exec runs one command and keeps what its status means for that of xargs.
func (x *xargsRun) exec(args []string) {
	if x.verbose {
		words := make([]string, len(args))
		for i, a := range args {
			words[i] = tool.QuoteName(a)
		}
		x.env.Out.Flush()
		io.WriteString(x.env.Stderr, strings.Join(words, " "))
		if x.prompt { // there is no terminal to answer
			x.env.Errorf("failed to open /dev/tty for reading: No such device or address")
			x.status, x.stop = 1, true
			return
		}
		io.WriteString(x.env.Stderr, "\n")
	}
	env := x.env.Child()
	env.Stdin = strings.NewReader("")
	status := Execute(x.env, env, args, func(why string) {
		x.env.Errorf("%s: %s", args[0], why)
		x.stop = true
	})
	switch signal := process.Of(x.env.Context).Waited(); {
	case status == 0:
	case x.stop:
		x.status = status
	case signal != 0:
		x.env.Errorf("%s: terminated by signal %d", args[0], signal)
		x.status, x.stop = 125, true
	case status == 255:
		x.env.Errorf("%s: exited with status 255; aborting", args[0])
		x.status, x.stop = 124, true
	default:
		x.status = 123
	}
}
