package main

import (
	"io"

	"github.com/terrarium-dev/terrarium/core"
)

// record is what run --json prints.
type record struct {
	Output     string       `json:"output"`
	Truncated  bool         `json:"truncated"`
	ExitStatus recordStatus `json:"exitStatus"`
	Reason     *core.Reason `json:"reason"` // null: the command's own doing
	DurationMs int64        `json:"durationMs"`
	Host       string       `json:"host"`
	Exec       recordExec   `json:"exec"`
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

// record returns what is known of a command that has ended.
func (r *runner) record(host string) *record {
	s, _ := r.driver.Status(r.id)
	output, truncated := r.driver.AppendOutput(nil, r.id)
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
	return record
}

// print prints the record in one line.
func (r *record) print(w io.Writer) error {
	return newEncoder(w).Encode(r)
}
