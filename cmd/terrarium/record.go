package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/printable"
	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// record is what run --json prints.
type record struct {
	Output     string       `json:"output"`
	Truncated  bool         `json:"truncated"`
	ExitStatus recordStatus `json:"exitStatus"`
	Reason     *core.Reason `json:"reason"` // null: the command's own doing
	DurationMs int64        `json:"durationMs"`
	Host       string       `json:"host"`
	On         string       `json:"on,omitempty"` // where, if not here
	Exec       recordExec   `json:"exec"`

	Repairs []recordRepair `json:"repairs,omitempty"`
}

// recordStatus is ACP's TerminalExitStatus: one of the two is null.
type recordStatus struct {
	ExitCode *uint32 `json:"exitCode"`
	Signal   *string `json:"signal"`
}

type recordExec struct {
	Path string   `json:"path"`
	Argv []string `json:"argv"`
	Via  core.Via `json:"via"`

	Sandbox string `json:"sandbox,omitempty"`
}

// recordRepair is a file that was put back: see driver.Repair.
type recordRepair struct {
	Path    string         `json:"path,omitempty"`
	Change  string         `json:"change,omitempty"`
	Outcome driver.Outcome `json:"outcome"`
	Kept    string         `json:"kept,omitempty"`
	Why     string         `json:"why,omitempty"`
}

// repaired notes down what was put back.
func (r *runner) repaired(_ core.TerminalID, list []driver.Repair) {
	r.repairMu.Lock()
	defer r.repairMu.Unlock()
	for _, repair := range list {
		r.repairs = append(r.repairs, recordRepair(repair))
	}
}

// tellLate tells what was put back after the end of what the command has left running: its output
// has no line of it. The driver is closed.
func (r *runner) tellLate() {
	for _, repair := range r.repairs[r.early:] {
		text := fmt.Sprintf("protected: %s: %s, %s", printable.Text(repair.Path), repair.Change, strings.ReplaceAll(string(repair.Outcome), "_", " "))
		if repair.Path == "" {
			text = repair.Why
		}
		warn(os.Stderr, errors.New(text))
	}
}

// record returns what is known of a command that has ended.
func (r *runner) record(host string) *record {
	s, _ := r.term.Status()
	output, truncated := r.term.AppendOutput(nil)
	record := &record{
		Output: string(output), Truncated: truncated,
		DurationMs: s.Ended.Sub(s.Started).Milliseconds(), Host: host,
		Exec: recordExec{s.Exec.Path, s.Exec.Argv, s.Exec.Via, s.Exec.Sandbox},
	}
	switch status := &r.exit.Status; {
	case status.Unknown:
	case status.Signal != "":
		record.ExitStatus.Signal = &status.Signal
	default:
		record.ExitStatus.ExitCode = &status.ExitCode
	}
	if r.exit.Reason != core.ReasonNone {
		record.Reason = &r.exit.Reason
	}
	r.repairMu.Lock()
	defer r.repairMu.Unlock()
	r.early = len(r.repairs)
	return record
}

// print prints the record in one line.
func (r *record) print(w io.Writer) error {
	return newEncoder(w).Encode(r)
}
