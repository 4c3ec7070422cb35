package remote

import "fmt"

// handle does what a frame of the far side says.
func (h *Host) handle(f *received) error {
	switch f.kind {
	case kindResolved:
		return handled(f, h.handleResolved)
	case kindStarted:
		return handled(f, h.handleStarted)
	case kindDone:
		return handled(f, h.handleDone)
	case kindWritten:
		return handled(f, func(m *written) error {
			return h.about(m.Terminal, func(p *process) error { return p.handleWritten(m) })
		})
	case kindCredit:
		return handled(f, func(m *credit) error {
			return h.about(m.Terminal, func(p *process) error { return p.handleCredit(m) })
		})
	case kindOutput:
		return handled(f, func(m *output) error {
			return h.about(m.Terminal, func(p *process) error { return p.handleOutput(m, f.keep) })
		})
	case kindOutputEnd:
		return handled(f, func(m *outputEnd) error {
			return h.about(m.Terminal, func(p *process) error { return p.handleOutputEnd(m) })
		})
	case kindExited:
		return handled(f, func(m *exited) error {
			return h.about(m.Terminal, func(p *process) error { return p.handleExited(m) })
		})
	case kindPassed:
		return handled(f, func(m *passed) error { return h.about(m.Terminal, (*process).handlePassed) })
	case kindEnd:
		return handled(f, (*end).error)
	}
	return broken("a frame of kind %d", f.kind)
}

// about does something with a terminal that has started.
func (h *Host) about(id uint64, f func(p *process) error) error {
	h.mu.Lock()
	p := h.terminals[id]
	h.mu.Unlock()
	if p == nil {
		return broken("it tells of terminal %d, which there is not", id)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.running {
		return broken("it tells of terminal %d, which has not started", id)
	}
	if err := f(p); err != nil {
		return fmt.Errorf("%w (terminal %d)", err, id)
	}
	return nil
}

func (h *Host) handleResolved(m *resolved) error {
	h.mu.Lock()
	c, err := h.answered(m.ID, kindResolve)
	h.mu.Unlock()
	if err != nil {
		return err
	}
	if m.Failure == nil && !m.Found.possible() {
		return broken("it has resolved a command to what can't be")
	}
	c.failure, c.found = m.Failure.error(), m.Found
	h.settle(c)
	return nil
}

func (h *Host) handleStarted(m *started) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	c, err := h.answered(m.ID, kindStart)
	if err != nil {
		return err
	}
	switch {
	case m.Failure != nil:
		delete(h.terminals, m.ID)
	case m.Credit < 0 || m.Credit > maxWindow:
		return broken("it grants %d bytes of input", m.Credit)
	case c.process.start(m.Credit): // nobody waits for it any longer
		closing := &call{kind: kindClose, process: c.process, done: make(chan struct{})}
		sendCall(h, closing, func(id uint64) *operation { return &operation{id, m.ID} })
	}
	c.failure = m.Failure.error()
	h.settle(c)
	return nil
}

func (h *Host) handleDone(m *done) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	c, err := h.answered(m.ID, kindCloseInput, kindResize, kindSignal, kindClose)
	if err != nil {
		return err
	}
	if c.kind == kindClose { // nothing more is said of it
		delete(h.terminals, c.process.id)
		c.process.forget()
	}
	c.failure = m.Failure.error()
	h.settle(c)
	return nil
}

// settle lets go who waits for an answer.
func (h *Host) settle(c *call) {
	if c.cost > 0 {
		h.room.leave(c.cost)
	}
	close(c.done)
}
