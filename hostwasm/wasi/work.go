package wasi

// What a call has the host do is charged as fuel, so that a limit of fuel
// bounds it too: the instructions of a loop that reads 16 GiB of zeros, or
// that looks up "a/../a/../a", are few. A unit stands for about half a
// nanosecond of a processor, as in the guest's own code.
const (
	fuelPerByte = 1    // moved, or made up, or looked at
	fuelPerStep = 4000 // of a name: a system call or two
)

// work charges n units. Its error is an end: the fuel is used up.
func (p *Process) work(n int) error {
	if p.fuel == nil || n == 0 {
		return nil
	}
	if err := p.fuel(int64(n)); err != nil {
		return end{err}
	}
	return nil
}

// walked charges the names that a call has resolved.
func (p *Process) walked() error {
	n := p.steps
	p.steps = 0
	return p.work(n * fuelPerStep)
}
