package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// A Request is what an agent is asked in one turn: a line of JSON.
type Request struct {
	// Instruction is the task.
	Instruction string `json:"instruction"`
	// Screen is what the terminal shows, or what is new there.
	Screen string `json:"screen"`
	// Step counts the turns from 1.
	Step int `json:"step"`
	// Prompt is all of it in words, with what was wrong with the last answer: what to tell a
	// language model.
	Prompt string `json:"prompt"`
}

// An Answer says what to do next.
type Answer struct {
	// Analysis is what the agent makes of what it sees, and Plan what it is up to. They are for
	// whoever reads the transcript.
	Analysis string `json:"analysis"`
	Plan     string `json:"plan"`
	// Commands are typed one after the other. There may be none.
	Commands []Command `json:"commands"`
	// Complete says that the task is done. It counts when two answers in a row say it.
	Complete bool `json:"task_complete"`
}

// A Command is something to type.
type Command struct {
	// Keystrokes is text, with a newline where Enter is pressed, or nothing but the name of a key:
	// "C-c", "Escape", "Up".
	Keystrokes string
	// Wait is for how long to wait afterwards, from 0.1 s to a minute. A shell that is done earlier
	// ends it, if there are Keystrokes.
	Wait time.Duration
}

// MarshalJSON gives the time in seconds.
func (c Command) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{"keystrokes": c.Keystrokes, "duration": c.Wait.Seconds()})
}

// maxRequest is how long a request may be, in bytes.
const maxRequest = 64 << 20

// Serve answers the requests on r until there are no more: the task is done, or given up.
func Serve(r io.Reader, w io.Writer, decide func(Request) Answer) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxRequest)
	for lines.Scan() {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		var request Request
		if err := json.Unmarshal(line, &request); err != nil {
			return fmt.Errorf("request: %w", err)
		}
		answer := decide(request)
		if answer.Commands == nil {
			answer.Commands = []Command{} // a list, and not null
		}
		if err := json.NewEncoder(w).Encode(answer); err != nil {
			return fmt.Errorf("answer: %w", err)
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("a request of more than %d bytes", maxRequest)
	}
	return lines.Err()
}
