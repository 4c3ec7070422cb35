package tty

import (
	"os"

	"github.com/terrarium-dev/terrarium/plugins/proc"
)

func get(f *os.File) (proc.Terminal, error) { return proc.TerminalOf(f) }

func setModes(f *os.File, m proc.TerminalModes) error { return proc.SetModes(f, m) }

func setSize(f *os.File, rows, cols int) error { return proc.SetSize(f, rows, cols) }

func watch(f *os.File, changed func()) (stop func(), err error) {
	r, err := proc.Resizes(f)
	if err != nil {
		return nil, err
	}
	go func() { // ends with stop
		var b [1]byte
		for {
			if n, err := r.Read(b[:]); n == 0 || err != nil {
				return
			}
			changed()
		}
	}()
	return func() { r.Close() }, nil
}
