//go:build linux || darwin

package hostnative

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// errInputClosed is what Write returns when there is no input to write to.
var errInputClosed = fmt.Errorf("hostnative: standard input: %w", os.ErrClosed)

// Write writes to standard input. It waits as long as the command does not
// read, and CloseInput (on pipes) and Close end it; n counts what was taken.
func (p *process) Write(b []byte) (n int, err error) {
	if p.closed() {
		return 0, errClosed
	}
	if p.io.in == nil {
		return 0, errInputClosed
	}
	n, err = p.io.in.Write(b)
	if n > 0 {
		p.limiter.stir()
		p.lastInput.Store(uint32(b[n-1]))
	}
	switch {
	case err == nil:
		return n, nil
	case p.closed():
		return n, errClosed
	case errors.Is(err, os.ErrClosed):
		return n, errInputClosed
	}
	return n, fmt.Errorf("hostnative: standard input: %w", cause(err))
}

// CloseInput closes the pipe to standard input. A pty can't be closed: there
// it types the end-of-file character, twice after text without a newline, for
// as at a keyboard the first only ends that line. A command that reads single
// keys (raw mode) gets the character itself. Where there is no input it does
// nothing.
func (p *process) CloseInput() error {
	switch {
	case p.closed():
		return errClosed
	case p.io.in == nil:
		return nil
	case p.io.tty == nil:
		p.io.in.Close() // a second time is harmless
		return nil
	}
	keys, err := p.endOfFile()
	if err != nil {
		return err
	}
	_, err = p.Write(keys)
	return err
}

// endOfFile returns what a person types to end the input of a pty, usually ^D.
func (p *process) endOfFile() (keys []byte, err error) {
	var t *unix.Termios
	err = p.onTTY(func(fd int) (err error) {
		t, err = unix.IoctlGetTermios(fd, getTermios)
		return err
	})
	if err != nil {
		return nil, err
	}
	eof := t.Cc[unix.VEOF]
	last := p.lastInput.Load()
	switch {
	case t.Lflag&unix.ICANON == 0:
	case last == 0, last == '\n', last == uint32(eof):
	case last == uint32(t.Cc[unix.VEOL]), last == uint32(t.Cc[unix.VEOL2]):
	case last == '\r' && t.Iflag&unix.ICRNL != 0:
	default: // a line that has been begun
		return []byte{eof, eof}, nil
	}
	return []byte{eof}, nil
}
