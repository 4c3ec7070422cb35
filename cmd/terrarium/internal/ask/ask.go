// Package ask asks whether a command may start, where the rules leave that open: a program, an ACP
// client, or the person at our terminal. A Desk holds what waits and what was granted; a Way is how
// one question gets to somebody who answers it.
package ask

import (
	"context"
	"errors"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/policy"
)

// ErrNobody is returned by a Way that leads to nobody at the moment. The next one is tried then.
var ErrNobody = errors.New("ask: nobody is there to be asked")

// A Way puts questions to somebody. It is asked by many goroutines at once.
type Way interface {
	// Ask returns the answer, or ErrNobody before anybody saw the question. Any other error is a
	// no, for that reason. It returns soon after ctx has ended, with nothing left running or
	// showing; ctx has the values of a context of driver.Config.Decide. q is not changed, and must
	// not be.
	Ask(ctx context.Context, q *Question) (Answer, error)
}

// A Choice is what somebody has decided. The zero value is no.
type Choice uint8

const (
	No      Choice = iota // the command does not start
	Once                  // this one starts
	Session               // and so do equal ones of this session
	Always                // and so do those that Question.Always names, from now on
)

var choiceNames = [...]string{"no", "once", "session", "always"}

// String returns "no", "once", "session" or "always".
func (c Choice) String() string { return choiceNames[c] }

// An Answer is what somebody has said.
type Answer struct {
	Choice Choice
	// Message has words for the agent, with No. They may be hostile.
	Message string
}

// A Question is a command that somebody is asked about. Its strings are an agent's, so hostile, but
// for what Text, Title and AlwaysText return.
type Question struct {
	Terminal core.TerminalID
	Exec     *core.Exec
	// Verdict has the simple commands of a line. Those whose Decision is Ask are what the question
	// is about.
	Verdict policy.Verdict
	// Sandbox is the level of sandbox that the command runs in; empty is none.
	Sandbox string
	// Place is where the command runs, if not here: then Sandbox is what is said there.
	Place string
	// CanAlways says that Always can be answered: it adds Verdict.Always to the person's rules.
	CanAlways bool
}
