package challenge

import "strings"

// A Format is how an agent writes its answers.
type Format uint8

const (
	JSON Format = iota // one object; the zero Format
	XML                // one element <response>
)

var formatNames = [...]string{"json", "xml"}

// String returns "json" or "xml".
func (f Format) String() string { return formatNames[f] }

// ParseFormat returns the Format of that name, or false.
func ParseFormat(name string) (Format, bool) {
	for i, n := range formatNames {
		if n == name {
			return Format(i), true
		}
	}
	return 0, false
}

// A Parser reads answers. The zero value reads JSON in the default mode. It
// has no state.
type Parser struct {
	Format Format

	// Strict is what terminus-2 does, to the letter. Otherwise
	//   - a command that makes no sense is skipped and the others run, where
	//     terminus-2 rejects them all;
	//   - XML also has <duration> elements, as the Term Challenge writes them;
	//     what stands in keystrokes ends no section and completes no task; and
	//     a <keystrokes duration="5"/> without text waits;
	//   - keystrokes that are empty or the name of a key need no newline;
	//   - the first hundred warnings are enough.
	Strict bool
}

// A Command is one thing to type.
type Command struct {
	// Keystrokes is the name of a key or text to be typed as it is; see
	// package keys.
	Keystrokes string
	// Duration is how long to wait after it, in seconds, as the agent wrote
	// it: it may be negative, infinite or NaN.
	Duration float64

	// raw is the JSON string that the keystrokes were.
	raw value
}

// A Result is what a Parser made of an answer.
type Result struct {
	Commands []Command
	// Complete says that the agent thinks the task is done.
	Complete bool
	// Error says why nothing of the answer can be used; Warning what was wrong
	// and did not matter, one line each. Both are for the agent, and empty if
	// there is nothing to say.
	Error, Warning string

	Analysis, Plan string

	// Skipped has the numbers of commands that were left out, the first being
	// 1. It is nil if the Parser was Strict.
	Skipped []int

	// JSON may have other types for these, and terminus-2 hands them on.
	rawComplete, rawAnalysis, rawPlan value
}

// Parse reads an answer. It takes linear time and never fails: what is wrong
// is in the Result. Invalid UTF-8 counts as U+FFFD.
func (p Parser) Parse(response string) Result {
	response = strings.ToValidUTF8(response, "\uFFFD")
	if p.Format == XML {
		return p.parseXML(response)
	}
	return p.parseJSON(response)
}
