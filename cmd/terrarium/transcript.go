package main

import (
	"bytes"
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
	left int64 // how many bytes there may still be of turns
	full bool
	err  error // the first
}

// maxTranscript is how long a transcript's turns may be, in bytes. An agent's answers
// are as long as it likes, and are asked for as long as it types something.
const maxTranscript = 256 << 20

// transcriptFull is the line that stands for the turns which are missing.
type transcriptFull struct {
	Full int64 `json:"full"` // how many bytes turns may have
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
	return &transcript{file: f, left: maxTranscript}, nil
}

func (t *transcript) turn(turn harness.Turn) {
	t.part(transcriptTurn{
		turn.Step, turn.Asked, turn.Answered, turn.Prompt, turn.Screen, turn.Answer, turn.Truncated, turn.Result.AppendJSON(nil),
	})
}

func (t *transcript) handOver(h llm.HandOver) { t.part(transcriptHandOver{h}) }

// part writes a line if there is room for it. From the first on for which there is
// none it writes no more, so that no turn is missing between others.
func (t *transcript) part(v any) {
	if t == nil || t.err != nil || t.full {
		return
	}
	line, err := encodeLine(v)
	if err != nil {
		t.err = err
		return
	}
	if t.full = int64(len(line)) > t.left; t.full {
		t.line(transcriptFull{maxTranscript})
		return
	}
	t.left -= int64(len(line))
	_, t.err = t.file.Write(line)
}

// line writes what there is always room for.
func (t *transcript) line(v any) {
	if t == nil || t.err != nil {
		return
	}
	line, err := encodeLine(v)
	if err == nil {
		_, err = t.file.Write(line)
	}
	t.err = err
}

func encodeLine(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
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
		return
	}
	if t.full {
		warn(os.Stderr, fmt.Errorf("transcript: %s has %d MiB: the last turns are missing", t.file.Name(), maxTranscript>>20))
	}
}
