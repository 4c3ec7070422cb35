package hostwasm

import (
	"bytes"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/hostwasm/wasi"
)

// A discipline is a terminal's line discipline, between the person who types
// and the guests that read. As long as no guest changes the terminal's modes, it
// echoes, edits the open line, and turns ^D into end of file and ^C into an
// interrupt, with the characters that stty(1) shows as the defaults. A guest that
// has not asked for interrupts is ended by them, as by ^\.
//
// Nothing that is typed has to wait until the guest reads or its output is read,
// so that ^C comes through.
//
// POSIX.1-2024, XBD 11.1.6, canonical mode
type discipline struct {
	input  backlog // whole lines go there
	output backlog // what is echoed becomes output like the guest's, ONLCR and all
	signal func(name string)

	mu    sync.Mutex
	modes wasi.Modes
	line  []byte
}

// change is told of modes that a guest has set. What was typed of a line can be
// read when lines are edited no longer.
func (d *discipline) change(m wasi.Modes) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.modes = m
	if !d.has(wasi.Canonical) {
		d.flush() // an error means that nobody reads
	}
}

func (d *discipline) has(m wasi.Modes) bool { return d.modes&m != 0 }

// maxLine is how long an open line may be, as on Linux. What is typed beyond
// it is lost.
const maxLine = 4095

// How much is kept of what the guest has not read yet, and of what is echoed,
// in bytes. A line that there is no room for rings the bell and is lost, as with
// IMAXBEL.
const (
	maxTyped  = 1 << 20
	maxEchoed = 64 << 10
)

// patience is how long a guest that asked for interrupts may leave one unread.
// The next one ends it, so that a shell which is stuck can be ended.
const patience = time.Second

// The characters that mean something, by their names in termios.
const (
	charINTR   = 'C' - '@'
	charEOF    = 'D' - '@'
	charKILL   = 'U' - '@'
	charWERASE = 'W' - '@'
	charQUIT   = '\\' - '@'
	charERASE  = 0x7f
	charBS     = '\b'
	charBEL    = '\a'
)

// Write takes what was typed. It does not wait.
func (d *discipline) Write(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, c := range p {
		if err := d.key(c); err != nil {
			return i, err
		}
	}
	return len(p), nil
}

// Close is the end of what is typed.
func (d *discipline) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	err := d.flush()
	d.input.end()
	return err
}

// echo shows what was typed, unless too much of that waits to be shown.
func (d *discipline) echo(p ...byte) {
	if d.has(wasi.Echo) {
		d.output.write(p)
	}
}

// show echoes a character, by its name if it is a control character.
func (d *discipline) show(c byte) {
	if c < ' ' && c != '\t' && c != '\n' {
		d.echo('^', c+'@')
		return
	}
	d.echo(c)
}

func (d *discipline) key(c byte) error {
	if c == '\r' && d.has(wasi.Returns) {
		c = '\n'
	}
	switch {
	case d.has(wasi.Signals) && (c == charINTR || c == charQUIT):
		d.interrupt(c)
		return nil
	case d.has(wasi.Canonical):
		return d.edit(c)
	}
	d.show(c)
	d.line = append(d.line, c)
	return d.flush()
}

// interrupt ends what runs, by ^C or ^\.
func (d *discipline) interrupt(c byte) {
	d.line = d.line[:0]
	d.show(c)
	switch {
	case c == charQUIT:
		d.signal("SIGQUIT")
	case !d.input.interrupt(patience):
		d.signal("SIGINT")
	}
}

// edit does to the open line what a key does.
func (d *discipline) edit(c byte) error {
	switch c {
	case '\n':
		d.echo('\n')
		return d.flush('\n')
	case charEOF:
		if len(d.line) == 0 {
			d.input.endFile()
			return nil
		}
		return d.flush()
	case charERASE, charBS:
		d.erase(1)
	case charKILL:
		d.erase(utf8.RuneCount(d.line))
	case charWERASE:
		d.erase(utf8.RuneCount(d.line) - utf8.RuneCount(withoutWord(d.line)))
	default:
		if len(d.line) >= maxLine {
			return nil
		}
		d.line = append(d.line, c)
		d.show(c)
	}
	return nil
}

// awaited reports whether a guest waits for what is typed next, and nothing
// else goes on in it. That stays so until something is typed.
func (d *discipline) awaited() bool {
	if !d.mu.TryLock() {
		return false // something is being typed
	}
	defer d.mu.Unlock()
	return d.input.awaited()
}

// flush hands the open line to the guest.
func (d *discipline) flush(terminator ...byte) error {
	line := append(d.line, terminator...)
	d.line = d.line[:0]
	err := d.input.write(line)
	if err == errFull {
		d.echo(charBEL)
		return nil
	}
	return err
}

// erase takes back the last n characters.
func (d *discipline) erase(n int) {
	for ; n > 0 && len(d.line) > 0; n-- {
		r, size := utf8.DecodeLastRune(d.line)
		d.line = d.line[:len(d.line)-size]
		d.echo('\b', ' ', '\b')
		if r < ' ' && r != '\t' {
			d.echo('\b', ' ', '\b') // it was shown as ^X
		}
	}
}

// withoutWord returns line without its last word.
func withoutWord(line []byte) []byte {
	line = bytes.TrimRight(line, " \t")
	if i := bytes.LastIndexAny(line, " \t"); i >= 0 {
		return line[:i+1]
	}
	return nil
}
