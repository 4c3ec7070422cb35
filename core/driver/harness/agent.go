package harness

import (
	"context"
	"errors"
)

// A Request is what an agent is asked in one turn. Its JSON form is a line of
// the Term Challenge.
type Request struct {
	// Instruction is the task.
	Instruction string `json:"instruction"`
	// Screen is what the terminal shows, or what is new there.
	Screen string `json:"screen"`
	// Step counts the turns from 1.
	Step int `json:"step"`
	// Prompt is all of it in words, with what was wrong with the last answer:
	// what to tell a language model.
	Prompt string `json:"prompt"`
}

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
