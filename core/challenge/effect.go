package challenge

import "time"

// An EffectKind says what an Effect is about and which of its fields are set.
type EffectKind uint8

const (
	_ EffectKind = iota
	// Look asks what the terminal shows: answer HandleView. Of the rows that
	// have scrolled out, those from number From on are wanted.
	Look
	// Ask asks the agent what to do in turn Turn, the first being 1: answer
	// HandleAnswer, HandleTruncated or HandleAgentEnd. Prompt has all that it
	// must be told, also what Screen has; Screen is what it last saw.
	Ask
	// Type sends Keystrokes to the terminal, as keys.Type does. If Early is
	// set, HandleReady with this Number may end the wait that follows.
	Type
	// Done is the last effect. Outcome says how it went, and Err more of it
	// if there is more.
	Done
)

var effectNames = [...]string{"", "look", "ask", "type", "done"}

// String returns "look", "ask" and so on.
func (k EffectKind) String() string { return effectNames[k] }

// An Effect is one thing that the machine wants done.
type Effect struct {
	Kind EffectKind

	From       uint64        // Look
	Turn       int           // Ask
	Prompt     string        // Ask
	Screen     string        // Ask
	Keystrokes string        // Type
	Number     int           // Type; counts all commands from 1
	Wait       time.Duration // Type; how long the machine waits after it
	Early      bool          // Type
	Outcome    Outcome       // Done
	Err        error         // Done
}

// An Outcome is how a task ended.
type Outcome uint8

const (
	// Running: it has not.
	Running Outcome = iota
	// Completed: the agent said twice that it is done. Whether it is right is
	// for others to find out.
	Completed
	// TurnsOver: Config.MaxTurns turns were not enough.
	TurnsOver
	// TimeOver: Config.Timeout was not enough.
	TimeOver
	// AnswerOver: an answer took longer than Config.AnswerTimeout.
	AnswerOver
	// AgentEnded: the agent can't be asked any more.
	AgentEnded
	// TerminalEnded: there is nothing left to type into.
	TerminalEnded
	// WrongAnswers: nothing could be made of Config.MaxWrong answers in a row.
	WrongAnswers
	// IdleAnswers: Config.MaxIdle answers in a row have come at once and did nothing.
	IdleAnswers
)

var outcomeNames = [...]string{
	"running", "completed", "out of turns", "out of time", "no answer in time", "the agent ended", "the terminal ended",
	"wrong answers", "idle answers",
}

// String returns "completed", "out of turns" and so on.
func (o Outcome) String() string { return outcomeNames[o] }
