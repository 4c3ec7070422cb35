//go:build linux || darwin

package worker

import (
	"os"
	"runtime"
)

// A starter starts processes from one thread that lives as long as it does:
// on Linux a worker is killed when the thread that has started it ends, and
// Go ends threads as it likes.
type starter struct{ requests chan request }

type request struct {
	program string
	files   []*os.File
	started chan<- result
}

type result struct {
	process *os.Process
	err     error
}

// workerEnv is the environment of a worker: what tells that it is one, and what
// has Go start with one processor, and without the threads for more. It takes
// more of them when it has lived for a while.
var workerEnv = []string{marker + "=1", "GOMAXPROCS=1"}

func newStarter() *starter {
	s := &starter{requests: make(chan request)}
	go s.run() // ends with close
	return s
}

func (s *starter) run() {
	runtime.LockOSThread() // for good: the thread ends with us
	giveUpPrivileges()
	for r := range s.requests {
		p, err := os.StartProcess(r.program, []string{"terrarium-worker"}, &os.ProcAttr{
			Dir: "/", Env: workerEnv, Files: r.files, Sys: attributes(),
		})
		r.started <- result{p, err}
	}
}

// start starts program, with these files and no other.
func (s *starter) start(program string, files []*os.File) (*os.Process, error) {
	started := make(chan result, 1)
	s.requests <- request{program, files, started}
	r := <-started
	return r.process, r.err
}

// close ends the thread. Nothing may be started any longer, or run.
func (s *starter) close() { close(s.requests) }
