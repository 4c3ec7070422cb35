package core

import "time"

// A Status is what is known of a terminal besides its output.
type Status struct {
	Session  SessionID
	State    State
	Released bool
	// Exec is what the host made of the command, once the state is past
	// StateResolving.
	Exec Exec
	// Rows and Cols are the terminal's size now, in cells.
	Rows, Cols int
	// Exit is set in StateExited.
	Exit Exit
	// Started and Ended are zero as long as that has not happened.
	Started, Ended time.Time
}

// Status returns what is known of a terminal, also of a released one.
func (r *Registry) Status(id TerminalID) (Status, bool) {
	t := r.terminals[id]
	if t == nil {
		return Status{}, false
	}
	s := Status{
		Session: t.session.id, State: t.life.state, Released: t.life.released, Exec: *t.exec,
		Rows: t.rows, Cols: t.cols, Started: t.life.started, Ended: t.life.ended,
	}
	if s.State == StateExited {
		s.Exit = t.life.exit
	}
	return s, true
}
