//go:build !linux && !wasip1

package cli

import (
	"errors"
	"io"
	"os"
)

// A program is one that runs beside this one. Here there is none: no output is a terminal.
type program struct{}

func (*program) start([]string, []string, *os.File) (io.Writer, error) {
	return nil, errors.ErrUnsupported
}

func (*program) wait() {}

func columns(*os.File) int { return 0 }
