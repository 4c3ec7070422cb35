package hostwasm

import (
	"bytes"
	"sync"
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/hostwasm/wasi"
)

// A discipline is a terminal's line discipline, between the person who types
// and a guest that reads lines: WASI has no way to ask for anything else. It
// echoes, edits the open line, and turns ^D into end of file and ^C into
// SIGINT, with the characters that stty(1) shows as the defaults.
//
// POSIX.1-2024, XBD 11.1.6, canonical mode
type discipline struct {
	input  *wasi.PipeWriter // whole lines go there
	echo   func(p []byte)   // what is echoed becomes output like the guest's, ONLCR and all
	signal func(name string)

	mu   sync.Mutex
	line []byte
}

// maxLine is how long an open line may be, as on Linux. What is typed beyond
// it is lost.
const maxLine = 4095

// The characters that mean something, by their names in termios.
const (
	charINTR   = 'C' - '@'
	charEOF    = 'D' - '@'
	charKILL   = 'U' - '@'
	charWERASE = 'W' - '@'
	charQUIT   = '\\' - '@'
	charERASE  = 0x7f
	charBS     = '\b'
)

// Write takes what was typed. It may block as the input does.
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

func (d *discipline) key(c byte) error {
	switch c {
	case '\r', '\n':
		d.echo([]byte("\n"))
		return d.flush('\n')
	case charINTR:
		d.line = d.line[:0]
		d.echo([]byte("^C"))
		d.signal("SIGINT")
	case charQUIT:
		d.line = d.line[:0]
		d.echo([]byte(`^\`))
		d.signal("SIGQUIT")
	case charEOF:
		if len(d.line) == 0 {
			d.input.EndFile()
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
		if c < ' ' && c != '\t' {
			d.echo([]byte{'^', c + '@'})
			return nil
		}
		d.echo([]byte{c})
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
	return d.input.Awaited()
}

// flush hands the open line to the guest.
func (d *discipline) flush(terminator ...byte) error {
	line := append(d.line, terminator...)
	d.line = d.line[:0]
	_, err := d.input.Write(line)
	return err
}

// erase takes back the last n characters.
func (d *discipline) erase(n int) {
	for ; n > 0 && len(d.line) > 0; n-- {
		r, size := utf8.DecodeLastRune(d.line)
		d.line = d.line[:len(d.line)-size]
		d.echo([]byte("\b \b"))
		if r < ' ' && r != '\t' {
			d.echo([]byte("\b \b")) // it was shown as ^X
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
