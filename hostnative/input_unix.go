//go:build linux || darwin

package hostnative

import (
	"errors"
	"fmt"
	"os"
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
// it types the end-of-file character. As at a keyboard, that ends a line of
// input, and is end of file only where the line is empty: after text without
// a newline it takes a second CloseInput. A command that reads single keys
// (raw mode) gets the character itself. Where there is no input it does nothing.
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
	c, err := p.endOfFile()
	if err != nil {
		return err
	}
	_, err = p.Write([]byte{c})
	return err
}
