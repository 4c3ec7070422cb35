package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core/driver/harness"
)

// TestTranscriptFull has an agent say more than a transcript holds: it has the first
// turns, says that there were more, and ends with the summary.
func TestTranscriptFull(t *testing.T) {
	name := filepath.Join(t.TempDir(), "transcript")
	w, err := createTranscript(name)
	if err != nil {
		t.Fatal(err)
	}
	w.left = 10_000
	for step := range 100 {
		turn := harness.Turn{Answer: strings.Repeat("x", 1000)}
		turn.Step = step + 1
		w.turn(turn)
	}
	turn := harness.Turn{Answer: "short"}
	w.turn(turn)
	w.line(taskSummary{Outcome: "over"})
	w.close()

	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if len(text) > 11_000 {
		t.Errorf("got %d bytes, want no more than 10,000 and the end", len(text))
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	turns := len(lines) - 2
	if turns < 5 {
		t.Fatalf("got %d lines, want some turns and the end", len(lines))
	}
	for i, line := range lines[:turns] {
		var turn transcriptTurn
		if err := json.Unmarshal([]byte(line), &turn); err != nil || turn.Step != i+1 {
			t.Errorf("line %d: got turn %d (%v)", i+1, turn.Step, err)
		}
	}
	if got, want := lines[turns], `{"full":268435456}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if last := lines[turns+1]; !strings.Contains(last, `"outcome":"over"`) {
		t.Errorf("got %s, want the summary", last)
	}
}
