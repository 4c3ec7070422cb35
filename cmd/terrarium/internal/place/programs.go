package place

import (
	"os"
	"sync"
)

// programs are those that were started and not waited for. The zero value has none. It is safe for
// concurrent use.
type programs struct {
	mu     sync.Mutex
	all    map[*os.Process]bool
	killed bool
}

// add notes a program, which is killed if all were.
func (p *programs) add(program *os.Process) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.killed {
		program.Kill()
	}
	if p.all == nil {
		p.all = make(map[*os.Process]bool)
	}
	p.all[program] = true
}

// remove forgets a program that was waited for.
func (p *programs) remove(program *os.Process) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.all, program)
}

func (p *programs) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.killed = true
	for program := range p.all {
		program.Kill() // an error means that it has ended
	}
}

// Kill kills all programs that run for the place, and those that are still started. It does not
// wait for their end, and nothing that they have read is sent any longer: it is for who leaves at
// once. It is safe for concurrent use.
func (p *Place) Kill() { p.programs.kill() }
