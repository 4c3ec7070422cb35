//go:build linux || darwin

package hostnative

import (
	"os"

	"github.com/terrarium-dev/terrarium/core"
)

// openPipes connects standard output and error to a pipe each, and standard
// input to a third one, or to /dev/null if nobody is going to type.
func openPipes(c core.Command) (_ *stdio, err error) {
	s := new(stdio)
	defer func() {
		if err != nil {
			s.close()
			s.closeChild()
			err = refuse(opPipe, "pipe", err)
		}
	}()
	for stream := 1; stream <= 2; stream++ {
		r, w, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		s.outs = append(s.outs, output{uint8(stream), r})
		s.child[stream] = w
	}
	if c.Interactive {
		s.child[0], s.in, err = os.Pipe()
	} else {
		s.child[0], err = os.Open(os.DevNull)
	}
	return s, err
}
