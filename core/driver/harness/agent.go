package harness

import (
	"context"
	"errors"

	"github.com/terrarium-dev/terrarium/core/driver/harness/agent"
)

// A Request is what an agent is asked in one turn.
type Request = agent.Request

// An Agent decides what to type.
type Agent interface {
	// Ask returns an answer as the parser of the challenge reads it. It is
	// called once at a time, and must return soon after ctx has ended. The
	// error ends the task, but for ErrTruncated.
	Ask(ctx context.Context, r Request) (answer string, err error)
}

// ErrTruncated says that the answer is only the beginning of one, because it
// grew too long. The agent is told so in the next turn.
var ErrTruncated = errors.New("harness: the answer was cut off")
