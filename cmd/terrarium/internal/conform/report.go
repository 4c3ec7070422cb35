package conform

import (
	"encoding/json"
	"time"
)

// A Verdict is what a trial came to.
type Verdict string

const (
	Passed  Verdict = "passed"
	Failed  Verdict = "failed"
	NotRun  Verdict = "not run"
	Unclear Verdict = "unclear" // it depends on how one reads the protocol
)

// A Result says how a point went.
type Result struct {
	Number     int     `json:"number"`
	Name       string  `json:"name"`
	Want       string  `json:"want"`
	Level      Level   `json:"level"`
	Source     string  `json:"source,omitempty"` // an address; empty: practice
	Verdict    Verdict `json:"verdict"`
	Evidence   string  `json:"evidence"` // what came, or why it was not tried; printable, in a line
	DurationMs int64   `json:"durationMs"`
}

// A Report says how a client did. All of its text is printable and short.
type Report struct {
	Version string `json:"version"` // of conform
	Client  Client `json:"client"`
	// Started is when the turn began. It is zero if the client never prompted.
	Started    time.Time `json:"started,omitzero"`
	DurationMs int64     `json:"durationMs"`
	Summary    Summary   `json:"summary"`
	// Faults are what was wrong with lines of the client, at whatever point.
	Faults []Fault  `json:"faults"`
	Points []Result `json:"points"`
}

// A Client is what the client says of itself in initialize.
type Client struct {
	Name            string          `json:"name"`
	Version         string          `json:"version"`
	ProtocolVersion uint16          `json:"protocolVersion"`
	Terminal        bool            `json:"terminal"` // it advertises terminals
	Capabilities    json.RawMessage `json:"capabilities,omitempty"`
}

// A Summary counts verdicts.
type Summary struct {
	Passed  int `json:"passed"`
	Failed  int `json:"failed"`
	Unclear int `json:"unclear"`
	NotRun  int `json:"notRun"`
	// FailedMust is how many of Failed the protocol demands.
	FailedMust int `json:"failedMust"`
}

func summarize(results []Result) (s Summary) {
	for _, r := range results {
		switch r.Verdict {
		case Passed:
			s.Passed++
		case Failed:
			s.Failed++
			if r.Level == Must {
				s.FailedMust++
			}
		case Unclear:
			s.Unclear++
		case NotRun:
			s.NotRun++
		}
	}
	return s
}

// address returns where the page of a source is.
func address(page string) string {
	if page == "" {
		return ""
	}
	return "https://agentclientprotocol.com/" + page
}
