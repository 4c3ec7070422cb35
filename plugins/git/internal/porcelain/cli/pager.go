package cli

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

// A pager is the command that turns the pages of what is printed, where a person reads. It starts
// with the first byte.
type pager struct {
	command string
	stdout  *os.File // where its pages are shown
	program          // see exec_*.go
	w       io.Writer
}

// defaultPager need not be there.
const defaultPager = "less"

// Page has what is printed from here on go through the pager that the person has chosen, or less.
// It does nothing where nobody reads, and where --no-pager or the setting of the command says so.
// It comes before paint.
func (c *Call) Page() {
	if c.pager != nil || c.Cols == 0 || c.Paginate == Never {
		return
	}
	chosen := ""
	if value, ok := c.Setting("pager." + c.Name); ok && c.Paginate != Always {
		on, err := truth("", value)
		switch {
		case err != nil:
			chosen = value // it names a pager
		case !on:
			return
		}
	}
	command, ok := os.LookupEnv("GIT_PAGER")
	if !ok {
		if command, ok = chosen, chosen != ""; !ok {
			command, ok = c.Setting("core.pager")
		}
		if !ok {
			command, ok = os.LookupEnv("PAGER")
		}
		if !ok {
			command = defaultPager
		}
	}
	if command == "" || command == "cat" {
		return
	}
	stdout, _ := c.out.(*os.File)
	c.pager = &pager{command: command, stdout: stdout}
	c.Buffer.Reset(c.pager)
}

// PagesAll reports whether this command's output goes through the pager whatever the command
// prints.
func (c *Call) PagesAll() bool {
	if c.Paginate == Always {
		return true
	}
	value, ok := c.Setting("pager." + c.Name)
	on, err := truth("", value)
	switch c.Name {
	case "branch", "tag", "config":
		return false // only their lists do
	}
	return ok && (on || err != nil)
}

// Whether a pager is wanted: -p and --no-pager.
type paginate int

const (
	asUsual paginate = iota
	Always
	Never
)

// Setting returns the last value of a setting, and whether there is one.
func (c *Call) Setting(key string) (string, bool) {
	if c.Repo == nil {
		return "", false
	}
	return c.Repo.Config.Get(key)
}

func (p *pager) Write(b []byte) (int, error) {
	if p.w == nil {
		p.w = p.stdout
		w, err := p.start(argv(p.command), pagerEnviron(), p.stdout)
		switch {
		case err == nil:
			p.w = w
		case p.command != defaultPager:
			fmt.Fprintf(os.Stderr, "error: cannot run %s: %s\n", p.command, Reason(err))
		}
	}
	n, err := p.w.Write(b)
	if err != nil && p.w != io.Writer(p.stdout) {
		// The person has quit: nobody wants the rest, and a long history takes its time.
		p.wait()
		os.Exit(128 + 13) // as SIGPIPE ends git
	}
	return n, err
}

// end waits until the person has read enough.
func (p *pager) end() {
	if p.w != nil && p.w != io.Writer(p.stdout) {
		p.wait()
	}
}

// argv is a command as it is started: by the shell where it has characters that mean something
// there.
func argv(command string) []string {
	if !strings.ContainsAny(command, "|&;<>()$`\\\"' \t\n*?[#~=%") {
		return []string{command}
	}
	return []string{"sh", "-c", command}
}

// pagerEnviron are the variables that a pager gets. less shows colours, ends where one screen shows
// all, and leaves what it showed on the screen, unless LESS says otherwise.
func pagerEnviron() []string {
	env := os.Environ()
	for _, v := range []string{"LESS=FRX", "LV=-c"} {
		name, _, _ := strings.Cut(v, "=")
		if _, ok := os.LookupEnv(name); !ok {
			env = append(env, v)
		}
	}
	return env
}

// An Output is where a command prints: to its own output, or through the pager.
type Output struct {
	out    io.Writer
	Buffer *bufio.Writer
	Cols   int // of the terminal that a person reads; 0 if there is none
	pager  *pager

	flushed time.Time // when FlushSoon did so
}

const outputSize = 32 << 10 // bytes that are printed at once

func NewOutput(out io.Writer) Output {
	o := Output{out: out, Buffer: bufio.NewWriterSize(out, outputSize)}
	if f, ok := out.(*os.File); ok && typing() {
		o.Cols = columns(f)
	}
	return o
}

// FlushSoon prints what was not printed yet, unless it did so just now. Whoever reads sees the
// first at once, and what takes long as it comes.
func (o *Output) FlushSoon() error {
	now := time.Now()
	if now.Sub(o.flushed) < 50*time.Millisecond {
		return nil
	}
	o.flushed = now
	return o.Buffer.Flush()
}

// Complain returns where errors go: with a pager, behind what it shows, if both are for one person.
func (o *Output) Complain(stderr io.Writer) io.Writer {
	if f, ok := stderr.(*os.File); o.pager != nil && o.pager.w != nil && ok && columns(f) > 0 {
		return o.Buffer
	}
	return stderr
}

// Finish prints what was not printed yet.
func (o *Output) Finish() {
	o.Buffer.Flush()
	if o.pager != nil {
		o.pager.end()
	}
}

// typing reports whether somebody types: only they can turn pages.
func typing() bool {
	f, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err == nil {
		f.Close()
	}
	return err == nil
}

// Width is how wide output may be that is fitted into the terminal, if there is one.
func (c *Call) Width() int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	return cmp.Or(c.Cols, 80)
}
