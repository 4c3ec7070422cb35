//go:build linux || darwin

package hostnative

import "os"

// A stdio is what a command's standard streams are connected to. Our ends are
// non-blocking and belong to Go's poller, so that closing one ends a Read or
// Write that waits on it; the child's are plain. All are close-on-exec.
type stdio struct {
	tty  *os.File // the pty's master, nil on pipes
	in   *os.File // what Write writes to: the master, a pipe, or nil
	outs []output

	child [3]*os.File // the child's 0, 1 and 2, which may be the same file
}

// An output is a file that a command's output is read from.
type output struct {
	stream uint8 // 1 or 2
	file   *os.File
}

// closeChild closes the child's ends: once it runs, it has its own.
func (s *stdio) closeChild() {
	for _, f := range s.child {
		if f != nil {
			f.Close() // a second time where files are the same, which is harmless
		}
	}
}

// close closes our ends.
func (s *stdio) close() {
	for _, o := range s.outs {
		o.file.Close()
	}
	if s.in != nil {
		s.in.Close()
	}
}
