package demo

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"text/tabwriter"
	"time"
)

// A printer prints what happens when it happens. It is safe for concurrent use.
type printer struct {
	mu     sync.Mutex
	w      io.Writer
	start  time.Time
	colour bool
}

func newPrinter(w io.Writer) *printer {
	p := &printer{w: w, start: time.Now()}
	if f, ok := w.(*os.File); ok && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" {
		info, err := f.Stat()
		p.colour = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	return p
}

func (p *printer) text(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintf(p.w, format, args...)
}

// colours has a colour for each terminal.
var colours = map[string]string{"build": "\x1b[36m", "count": "\x1b[33m", "endless": "\x1b[35m"}

// line prints one line about a terminal, or about none, shortened to fit.
func (p *printer) line(name, text string) {
	on, off := colours[name], "\x1b[m"
	if !p.colour || on == "" {
		on, off = "", ""
	}
	p.text("%6.2fs  %s%-8s %s%s\n", time.Since(p.start).Seconds(), on, name, clip(text, 62), off)
}

// lines prints lines about a terminal. Of many only the last is shown.
func (p *printer) lines(name string, lines []string) {
	if last := len(lines) - 1; last > 2 {
		p.line(name, fmt.Sprintf("(%d lines, then) %s", last, lines[last]))
		return
	}
	for _, line := range lines {
		p.line(name, line)
	}
}

// table prints how the terminals ended.
func (p *printer) table(terminals []*terminal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintln(p.w)
	t := tabwriter.NewWriter(p.w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "terminal\tcommand\texit\ttime\toutput\ttruncated")
	for _, term := range terminals {
		fmt.Fprintf(t, "%s\t%s\t%v\t%.2fs\t%d bytes\t%v\n", term.name, clip(term.line(), 30), term.status,
			term.took.Seconds(), len(term.output), map[bool]string{true: "yes", false: "no"}[term.truncated])
	}
	t.Flush()
}

// clip shortens s to n runes.
func clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return strings.TrimRight(string(r[:n-1]), " ") + "…"
	}
	return s
}
