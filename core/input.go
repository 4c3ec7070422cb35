package core

import (
	"slices"
	"time"
)

// stdin is the standard input of a terminal's command.
type stdin struct {
	closed  bool
	pending int // bytes, not yet taken by the process
}

// pushInput queues p, which the host may keep. The caller has looked that there is room.
func (r *Registry) pushInput(t *Terminal, p []byte) {
	t.stdin.pending += len(p)
	r.push(t, Effect{Kind: WriteInput, Data: p})
}

// Write hands p to the command's standard input. p is not kept. The errors
// are ErrInputFull, when p does not fit what may wait to be taken (then none
// of it is written), ErrInputClosed, ErrNotRunning and those of an unknown id.
func (r *Registry) Write(now time.Time, id TerminalID, p []byte) (err error) {
	r.trace.write(now, id, p)
	defer func() { r.trace.failed(err) }()
	t, err := r.writable(id)
	if err != nil {
		return err
	}
	if len(p) > r.config.MaxInput-t.stdin.pending {
		return ErrInputFull
	}
	if len(p) == 0 {
		return nil
	}
	r.pushInput(t, slices.Clone(p))
	return nil
}

// CloseInput ends the command's standard input after what was written before.
// A second time it does nothing.
func (r *Registry) CloseInput(now time.Time, id TerminalID) (err error) {
	r.trace.input(now, "close_input", id)
	defer func() { r.trace.failed(err) }()
	t, err := r.writable(id)
	if err == ErrInputClosed {
		return nil
	}
	if err != nil {
		return err
	}
	t.stdin.closed = true
	r.push(t, Effect{Kind: CloseInput})
	return nil
}

func (r *Registry) writable(id TerminalID) (*Terminal, error) {
	t, err := r.held(id)
	switch {
	case err != nil:
		return nil, err
	case t.life.state != StateRunning:
		return nil, ErrNotRunning
	case !t.exec.Command.Interactive || t.stdin.closed:
		return nil, ErrInputClosed
	}
	return t, nil
}

// HandleWritten reports that the process has taken n bytes of input.
func (r *Registry) HandleWritten(now time.Time, id TerminalID, n int) {
	r.trace.written(now, id, n)
	t := r.terminals[id]
	if t == nil {
		return
	}
	t.stdin.pending = max(0, t.stdin.pending-max(0, n))
}

// Resize gives a running command's terminal a new size, in cells, each from 1
// to MaxSize.
func (r *Registry) Resize(now time.Time, id TerminalID, rows, cols int) (err error) {
	r.trace.resize(now, id, rows, cols)
	defer func() { r.trace.failed(err) }()
	t, err := r.held(id)
	if err != nil {
		return err
	}
	if rows == 0 || cols == 0 {
		return &InvalidError{Param: "size", Reason: "out_of_range"}
	}
	if err := validateSize(rows, cols); err != nil {
		return err
	}
	if t.life.state != StateRunning {
		return ErrNotRunning
	}
	if hasScreens {
		if err := r.reserveScreen(t, rows, cols); err != nil {
			return err
		}
	}
	t.rows, t.cols = rows, cols
	r.push(t, Effect{Kind: Resize, Rows: rows, Cols: cols})
	return nil
}
