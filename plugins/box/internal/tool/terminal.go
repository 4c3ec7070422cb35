package tool

import (
	"cmp"
	"os"
	"strconv"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tty"
)

// Input, output and error of a command, if they are terminals; else they are nil.
func (e *Env) InTerminal() *os.File  { return tty.Of(e.input()) }
func (e *Env) OutTerminal() *os.File { return tty.Of(e.Stdout) }
func (e *Env) ErrTerminal() *os.File { return tty.Of(e.errors()) }

func (e *Env) input() any {
	if in, ok := e.Stdin.(*stdin); ok {
		return in.r
	}
	return e.Stdin
}

func (e *Env) errors() any {
	if d, ok := e.Stderr.(*diagnostics); ok {
		return d.w
	}
	return e.Stderr
}

// ToTerminal reports whether the command's standard output is a terminal.
func (e *Env) ToTerminal() bool { return e.OutTerminal() != nil }

// Columns returns how many columns the terminal has that standard output is, or else what COLUMNS
// says, or else otherwise.
func (e *Env) Columns(otherwise int) int {
	_, cols := e.Size()
	return cmp.Or(cols, otherwise)
}

// Size returns the size of the terminal that standard output is. What it does not tell LINES and
// COLUMNS do, or it is 0.
func (e *Env) Size() (rows, cols int) {
	if f := e.OutTerminal(); f != nil {
		t, _ := tty.Get(f)
		rows, cols = t.Rows, t.Cols
	}
	return cmp.Or(rows, e.positive("LINES")), cmp.Or(cols, e.positive("COLUMNS"))
}

// positive is the number that a variable has, 0 if it has none.
func (e *Env) positive(variable string) int {
	n, err := strconv.Atoi(e.Getenv(variable))
	if err != nil {
		return 0
	}
	return max(n, 0)
}
