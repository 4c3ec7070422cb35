// Package cast writes and reads recordings of terminals, as asciinema has them: asciicast, a line
// of JSON with the terminal's size, and then a line for each event. A [Writer] writes version 2,
// which all players know. A [Reader] reads versions 2 and 3.
//
// Version 2: https://docs.asciinema.org/manual/asciicast/v2/.
// Version 3: https://docs.asciinema.org/manual/asciicast/v3/.
package cast

import "time"

// A Header is what a recording says of itself, first.
type Header struct {
	Cols, Rows int           // the terminal's size, in cells
	Title      string        // what the recording shows, "" if nobody said
	IdleLimit  time.Duration // players wait no longer than this; 0 is no limit
}

// A Kind says what has happened. There may be others than these, to be passed over.
type Kind string

const (
	Output Kind = "o" // the terminal was sent Data
	Input  Kind = "i" // somebody has typed Data
	Mark   Kind = "m" // something begins, whose name is Data
	Resize Kind = "r" // the terminal has another size: Event.Size
)

// An Event is something that has happened in a terminal.
type Event struct {
	At   time.Duration // since the recording began; never less than that of the event before
	Kind Kind
	Data string // valid UTF-8
}
