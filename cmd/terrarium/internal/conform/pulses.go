package conform

import "slices"

// begin creates a terminal whose script holds a pulse from its beginning on, and
// returns once it does.
func (t *trial) begin(script string, change ...func(fields) fields) (id string, p *pulse) {
	p = t.pulse()
	params := t.sh(hold+script, p.path)
	for _, f := range change {
		params = f(params)
	}
	id = t.create(params)
	if !p.await(true, t.patienceWith(max(t.patience, DefaultPatience)), t.ctx.Done()) {
		t.output(id) // for the evidence
		t.skip("the command can't be watched: it does not open a FIFO in a folder of ours")
	}
	return id, p
}

// ends wants all that holds the pulse to end. after says what should have ended it.
func (t *trial) ends(p *pulse, after string) {
	if !p.await(false, t.afterKill(), t.ctx.Done()) {
		t.fail("something of the command still runs %v after %s", t.afterKill(), after)
	}
}

// leave lets the terminal of id and its pulse outlive the trial.
func (t *trial) leave(id string, p *pulse) {
	t.terminals = slices.DeleteFunc(t.terminals, func(s string) bool { return s == id })
	t.pulses = slices.DeleteFunc(t.pulses, func(q *pulse) bool { return q == p })
	t.round.held = p
}

// beat is a script that goes on until nobody looks at its pulse any more: nothing that
// a client fails to end is left for long.
const beat = `while echo >&9; do sleep 1; done`
