package main

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/llm"
	"github.com/terrarium-dev/terrarium/core/driver/harness"
)

// A transcript is a file with a line of JSON for each turn, as soon as it is
// known, and the summary in the end. Only its owner may read it.
type transcript struct {
	file *os.File
	err  error // the first
}

// transcriptTurn is a line of a transcript.
type transcriptTurn struct {
	Step     int       `json:"step"`
	Asked    time.Time `json:"asked"`
	Answered time.Time `json:"answered"`
	Prompt   string    `json:"prompt"`
	Screen   string    `json:"screen"`
	Answer   string    `json:"answer"`
	// Truncated says that the rest of the answer was never made.
	Truncated bool `json:"truncated"`
	// Result is what "terrarium parse" prints for the answer.
	Result json.RawMessage `json:"result"`
}

// transcriptHandOver is a line before that of the turn in which it was.
type transcriptHandOver struct {
	HandOver llm.HandOver `json:"handOver"`
}

// createTranscript returns nil for an empty name.
func createTranscript(name string) (*transcript, error) {
	if name == "" {
		return nil, nil
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("transcript: %w", err)
	}
	return &transcript{file: f}, nil
}

func (t *transcript) turn(turn harness.Turn) {
	t.line(transcriptTurn{
		turn.Step, turn.Asked, turn.Answered, turn.Prompt, turn.Screen, turn.Answer, turn.Truncated, turn.Result.AppendJSON(nil),
	})
}

func (t *transcript) line(v any) {
	if t == nil || t.err != nil {
		return
	}
	e := json.NewEncoder(t.file)
	e.SetEscapeHTML(false)
	t.err = e.Encode(v)
}

// close does nothing on nil.
func (t *transcript) close() {
	if t == nil {
		return
	}
	if err := t.file.Close(); t.err == nil {
		t.err = err
	}
	if t.err != nil {
		warn(os.Stderr, fmt.Errorf("transcript: %w: its end is missing", t.err))
	}
}
