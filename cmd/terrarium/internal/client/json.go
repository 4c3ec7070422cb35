package client

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/terrarium-dev/terrarium/core/text"
)

// A JSON is a View that writes each event as one line of JSON. All of them have "event":
//
//	ready       {"agent","version","sessionId"}
//	update      {"update"}: what the agent tells, as ACP's session/update has it
//	terminal    {"terminalId","command","cwd"}: a command that runs
//	output      {"terminalId","data"}: what it writes, with U+FFFD for what is no UTF-8; with "anew",
//	            and without data, what was told before does not count any more
//	exit        {"terminalId","exitCode","signal","reason"}: one of the first two is null, or both
//	refused     {"terminalId","command","error"}: it did not start
//	file        {"path","write","bytes","error"}
//	permission  {"title","option","allow","by","why"}
//	warning     {"message"}
//	stop        {"stopReason"}
//
// The terminals are those that run here, and those that the agent runs itself and shows. The ids of
// the latter are the agent's own behind "agent:". Of these, "terminal" may come again with what is
// known by then, and both fields of "exit" are null if the agent does not say how it ended, or has
// not by the end of its turn.
type JSON struct {
	encode func(v any) error
	failed func(error)

	mu      sync.Mutex // guards the fields below
	repairs map[string]*text.Repairer
	broken  bool
}

// NewJSON returns a JSON. encode writes a line. failed is called when it has failed, once.
func NewJSON(encode func(v any) error, failed func(error)) *JSON {
	return &JSON{encode: encode, failed: failed, repairs: make(map[string]*text.Repairer)}
}

var _ View = (*JSON)(nil)

// A line is what is written of an event.
type line struct {
	Event      string          `json:"event"`
	Agent      *string         `json:"agent,omitempty"`
	Version    *string         `json:"version,omitempty"`
	SessionID  string          `json:"sessionId,omitempty"`
	Update     json.RawMessage `json:"update,omitempty"`
	TerminalID string          `json:"terminalId,omitempty"`
	Command    string          `json:"command,omitempty"`
	Cwd        string          `json:"cwd,omitempty"`
	Data       string          `json:"data,omitempty"`
	Anew       bool            `json:"anew,omitempty"`
	*exit
	Path       string `json:"path,omitempty"`
	Write      *bool  `json:"write,omitempty"`
	Bytes      *int   `json:"bytes,omitempty"`
	Error      string `json:"error,omitempty"`
	Title      string `json:"title,omitempty"`
	Option     string `json:"option,omitempty"`
	Allow      *bool  `json:"allow,omitempty"`
	By         string `json:"by,omitempty"`
	Why        string `json:"why,omitempty"`
	Message    string `json:"message,omitempty"`
	StopReason string `json:"stopReason,omitempty"`
}

type exit struct {
	ExitCode *uint32 `json:"exitCode"`
	Signal   *string `json:"signal"`
	Reason   string  `json:"reason,omitempty"`
}

// Show implements View.
func (j *JSON) Show(e Event) {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch e := e.(type) {
	case Ready:
		j.line(line{Event: "ready", Agent: &e.Agent, Version: &e.Version, SessionID: e.Session})
	case Updated:
		j.line(line{Event: "update", Update: e.Raw})
	case Started:
		if j.repairs[e.ID] == nil {
			j.repairs[e.ID] = new(text.Repairer)
		}
		j.line(line{Event: "terminal", TerminalID: e.ID, Command: e.Command, Cwd: e.Cwd})
	case Output:
		j.output(e)
	case Exited:
		if r := j.repairs[e.ID]; r != nil {
			j.data(e.ID, r.Flush())
			delete(j.repairs, e.ID)
		}
		l := line{Event: "exit", TerminalID: e.ID, exit: &exit{Reason: string(e.Reason)}}
		switch {
		case e.Status.Unknown:
		case e.Status.Signal != "":
			l.Signal = &e.Status.Signal
		default:
			l.ExitCode = &e.Status.ExitCode
		}
		j.line(l)
	case Refused:
		j.line(line{Event: "refused", TerminalID: e.ID, Command: e.Command, Error: e.Err.Error()})
	case File:
		l := line{Event: "file", Path: e.Path, Write: &e.Write, Bytes: &e.Bytes}
		if e.Err != nil {
			l.Error = e.Err.Error()
		}
		j.line(l)
	case Permitted:
		j.line(line{Event: "permission", Title: e.Title, Option: e.Option, Allow: &e.Allow, By: e.By, Why: e.Why})
	case Warned:
		j.line(line{Event: "warning", Message: e.Err.Error()})
	case Stopped:
		j.line(line{Event: "stop", StopReason: e.Reason})
	}
}

func (j *JSON) output(e Output) {
	r := j.repairs[e.ID]
	if r == nil {
		return
	}
	if e.Anew {
		*r = text.Repairer{}
		j.line(line{Event: "output", TerminalID: e.ID, Anew: true})
	}
	for rest := e.Data; len(rest) > 0; {
		var valid []byte
		valid, rest = r.Next(rest)
		j.data(e.ID, valid)
	}
}

func (j *JSON) data(id string, valid []byte) {
	if len(valid) > 0 {
		j.line(line{Event: "output", TerminalID: id, Data: string(valid)})
	}
}

func (j *JSON) line(l line) {
	if j.broken {
		return
	}
	if err := j.encode(l); err != nil {
		j.broken = true
		j.failed(fmt.Errorf("write an event: %w", err))
	}
}
