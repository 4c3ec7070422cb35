package process

import (
	"syscall"

	"github.com/terrarium-dev/terrarium/plugins/proc"
)

// Kill sends a signal to the process of that number, 0 for all and -1 for all others, if there is
// one: else it is ESRCH.
func (p *Process) Kill(pid, signal int) error {
	if pid == 0 || pid == -1 {
		return p.killAll(signal, pid == 0)
	}
	for _, q := range p.table.list() {
		if q.ID() != pid {
			continue
		}
		if q.send(signal) && !p.within(q) {
			q.await()
		}
		return nil
	}
	if proc.Signal(pid, signal) != nil {
		return syscall.ESRCH
	}
	return nil
}

// killAll sends a signal to all of the terminal, itself last.
func (p *Process) killAll(signal int, self bool) error {
	for _, i := range p.List() {
		if i.PID != p.ID() {
			p.Kill(i.PID, signal)
		}
	}
	if !self {
		return nil
	}
	p.send(signal)
	return nil
}

// KillBelow sends a signal to all that p has started, and that those have.
func (p *Process) KillBelow(signal int) {
	if p == nil {
		return
	}
	for _, q := range p.table.list() {
		if q != p && q.within(p) {
			q.send(signal)
		}
	}
}

// Ignore says whether p, and what it starts from now on, ignores a signal.
func (p *Process) Ignore(signal int, ignored bool) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ignored &^= 1 << signal
	if ignored {
		p.ignored |= 1 << signal
	}
}

// Catch has deliver asked of each signal, but for SIGKILL, whether it is taken care of.
func (p *Process) Catch(deliver func(signal int) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.catch = deliver
}

// Raise sends a signal to p itself, and reports whether that ends it, as it does whoever is no
// process.
func (p *Process) Raise(signal int) bool { return p == nil || p.send(signal) }

const kill = 9

// harmless are the signals that end no process by default: CHLD, CONT, STOP, TSTP, TTIN, TTOU, URG
// and WINCH. Nothing can be stopped here.
const harmless = 1<<0 | 1<<17 | 1<<18 | 1<<19 | 1<<20 | 1<<21 | 1<<22 | 1<<23 | 1<<28

// send does what a signal does to p, and reports whether that ends it.
func (p *Process) send(signal int) bool {
	p.mu.Lock()
	catch, ignored := p.catch, p.ignored>>signal&1 != 0
	p.mu.Unlock()
	switch {
	case signal == kill && p.parent == nil:
		proc.Signal(p.ID(), signal)
	case signal != kill && (ignored || catch != nil && catch(signal)):
		return false
	}
	if harmless>>signal&1 != 0 {
		return false
	}
	p.mu.Lock()
	if p.signal == 0 {
		p.signal = signal
	}
	p.mu.Unlock()
	p.cancel(signalled(signal))
	return true
}

// signalled is the cause of a context that ended by a signal.
type signalled int

func (s signalled) Error() string { return "killed by a signal" }

// Signal is for the interpreter, which knows the method.
func (s signalled) Signal() int { return int(s) }
