// Package cli has what all of git's commands share: a Call with its arguments and outputs, failures
// with git's words, colours, the pager, and how arguments name revisions and files.
package cli

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// A Call is one run of a command.
type Call struct {
	Name           string
	Usage          string // what its arguments are, in one line
	Args           []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Output
	Paginate paginate
	Repo     *repo.Repo // nil for commands that need none
	Config   []repo.Setting
}

// A Failure ends a command with a status. Its text is printed if there is one.
type Failure struct {
	Status int
	Text   string
}

func (f *Failure) Error() string { return f.Text }

// Fatal is what git can't go on after.
func Fatal(format string, args ...any) error {
	return &Failure{128, "fatal: " + fmt.Sprintf(format, args...)}
}

// Wrong is what one command can't do.
func Wrong(format string, args ...any) error {
	return &Failure{1, "error: " + fmt.Sprintf(format, args...)}
}

// Quiet ends with a status and no word.
func Quiet(status int) error { return &Failure{status, ""} }

// Flushing keeps the two outputs in order.
type Flushing struct {
	First *Output
	W     io.Writer
}

func (f Flushing) Write(p []byte) (int, error) {
	f.First.Buffer.Flush()
	return f.First.Complain(f.W).Write(p)
}

// Parse reads the command's options.
func (c *Call) Parse(description string) (*option.Result, error) {
	return option.Parse(c.Args, description)
}

// In is the same call in another repository.
func (c *Call) In(r *repo.Repo) *Call {
	there := *c
	there.Repo = r
	return &there
}

func (c *Call) Printf(format string, args ...any) { fmt.Fprintf(c.Stdout, format, args...) }

// Reason is what went wrong with a file, in the C library's words.
func Reason(err error) string {
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "No such file or directory"
	case errors.Is(err, os.ErrExist):
		return "File exists"
	case errors.Is(err, os.ErrPermission):
		return "Permission denied"
	}
	return err.Error()
}
