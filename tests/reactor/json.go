package reactor

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/coretest"
)

// The JSON of the ABI, read and written with encoding/json: what the reactor
// does without it is checked against it.

// decodeStrictly refuses members that it does not know, and anything after
// the value.
func decodeStrictly(p []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(p))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("more than one JSON value")
	}
	return nil
}

type configJSON struct {
	Seed                string     `json:"seed"`
	Ask                 bool       `json:"ask"`
	KillGrace           int64      `json:"killGraceNs"`
	LostAfter           int64      `json:"lostAfterNs"`
	DrainSilence        int64      `json:"drainSilenceNs"`
	DrainLimit          int64      `json:"drainLimitNs"`
	Timeout             int64      `json:"timeoutNs"`
	Rows                int        `json:"rows"`
	Cols                int        `json:"cols"`
	OutputByteLimit     int64      `json:"outputByteLimit"`
	MaxOutputByteLimit  int64      `json:"maxOutputByteLimit"`
	MaxInput            int        `json:"maxInput"`
	LiveBytes           int        `json:"liveBytes"`
	MaxTerminals        int        `json:"maxTerminals"`
	MaxSessionTerminals int        `json:"maxSessionTerminals"`
	MaxOutputBytes      int64      `json:"maxOutputBytes"`
	KeepTerminals       int        `json:"keepTerminals"`
	KeepBytes           int64      `json:"keepBytes"`
	MaxKeptTerminals    int        `json:"maxKeptTerminals"`
	MaxKeptBytes        int64      `json:"maxKeptBytes"`
	ACP                 *acpConfig `json:"acp,omitempty"`
}

type acpConfig struct {
	Command     commandJSON `json:"command"`
	NoTerminal  bool        `json:"noTerminal"`
	Lenient     bool        `json:"lenient"`
	MaxLine     int         `json:"maxLine"`
	MaxResponse int         `json:"maxResponse"`
	MaxPending  int         `json:"maxPending"`
	MaxSessions int         `json:"maxSessions"`
	Version     string      `json:"version"`
}

// ConfigJSON is the argument of new_registry for c, and with ACP for
// coretest.ACPConfig.
func ConfigJSON(c core.Config, withACP bool) []byte {
	j := configJSON{
		Seed: hex.EncodeToString(c.Seed[:]), Ask: c.Ask,
		KillGrace: int64(c.KillGrace), LostAfter: int64(c.LostAfter), Timeout: int64(c.Timeout),
		DrainSilence: int64(c.DrainSilence), DrainLimit: int64(c.DrainLimit),
		Rows: c.Rows, Cols: c.Cols, OutputByteLimit: c.OutputByteLimit, MaxOutputByteLimit: c.MaxOutputByteLimit,
		MaxInput: c.MaxInput, LiveBytes: c.LiveBytes,
		MaxTerminals: c.MaxTerminals, MaxSessionTerminals: c.MaxSessionTerminals, MaxOutputBytes: c.MaxOutputBytes,
		KeepTerminals: c.KeepTerminals, KeepBytes: c.KeepBytes,
		MaxKeptTerminals: c.MaxKeptTerminals, MaxKeptBytes: c.MaxKeptBytes,
	}
	if withACP {
		j.ACP = fromACPConfig(coretest.ACPConfig)
	}
	return toJSON(j)
}

func fromACPConfig(c acp.Config) *acpConfig {
	return &acpConfig{
		Command: fromCommand(c.Command), NoTerminal: c.NoTerminal, Lenient: c.Lenient, MaxLine: c.MaxLine,
		MaxResponse: c.MaxResponse, MaxPending: c.MaxPending, MaxSessions: c.MaxSessions, Version: c.Version,
	}
}

type envJSON struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type commandJSON struct {
	Command         string    `json:"command"`
	Args            []string  `json:"args"`
	Env             []envJSON `json:"env"`
	Cwd             string    `json:"cwd"`
	Roots           []string  `json:"roots"`
	Traceparent     string    `json:"traceparent"`
	Pty             bool      `json:"pty"`
	OneStream       bool      `json:"oneStream"`
	Interactive     bool      `json:"interactive"`
	Rows            int       `json:"rows"`
	Cols            int       `json:"cols"`
	Rendering       string    `json:"rendering"`
	OutputByteLimit int64     `json:"outputByteLimit"`
	Timeout         int64     `json:"timeoutNs"`
}

func fromCommand(c core.Command) commandJSON {
	j := commandJSON{
		Command: c.Command, Args: c.Args, Cwd: c.Cwd, Roots: c.Roots, Traceparent: string(c.Traceparent), Pty: c.Pty, OneStream: c.OneStream, Interactive: c.Interactive,
		Rows: c.Rows, Cols: c.Cols, Rendering: c.Rendering.String(),
		OutputByteLimit: c.OutputByteLimit, Timeout: int64(c.Timeout),
	}
	for _, e := range c.Env {
		j.Env = append(j.Env, envJSON{e.Name, e.Value})
	}
	return j
}

func (j *commandJSON) command() (core.Command, error) {
	rendering, known := core.ParseRendering(j.Rendering)
	if !known {
		return core.Command{}, fmt.Errorf("no such rendering: %q", j.Rendering)
	}
	c := core.Command{
		Command: j.Command, Args: j.Args, Cwd: j.Cwd, Roots: j.Roots, Traceparent: core.Traceparent(j.Traceparent), Pty: j.Pty, OneStream: j.OneStream, Interactive: j.Interactive,
		Rows: j.Rows, Cols: j.Cols, Rendering: rendering,
		OutputByteLimit: j.OutputByteLimit, Timeout: time.Duration(j.Timeout),
	}
	for _, e := range j.Env {
		c.Env = append(c.Env, core.EnvVariable{Name: e.Name, Value: e.Value})
	}
	return c, nil
}

type execJSON struct {
	Command commandJSON `json:"command"`
	Path    string      `json:"path"`
	Argv    []string    `json:"argv"`
	Via     string      `json:"via"`
}

func (j *execJSON) exec() (core.Exec, error) {
	c, err := j.Command.command()
	return core.Exec{Command: c, Path: j.Path, Argv: j.Argv, Via: core.Via(j.Via)}, err
}

type resolvedJSON struct {
	Error *errorJSON `json:"error,omitempty"`
	Path  string     `json:"path"`
	Argv  []string   `json:"argv"`
	Via   string     `json:"via"`
}

type decisionJSON struct {
	Allow  bool   `json:"allow"`
	Reason string `json:"reason"`
}

type errorJSON struct {
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message"`
}

type exitJSON struct {
	ExitCode *uint32   `json:"exitCode"`
	Signal   *string   `json:"signal"`
	Reason   *string   `json:"reason"`
	Usage    usageJSON `json:"usage"`
}

type usageJSON struct {
	UserTime   int64  `json:"userTimeNs"`
	SystemTime int64  `json:"systemTimeNs"`
	MaxRSS     int64  `json:"maxRss"`
	Fuel       uint64 `json:"fuel"`
}

func fromExit(e core.Exit) exitJSON {
	j := exitJSON{Usage: usageJSON{
		int64(e.Usage.UserTime), int64(e.Usage.SystemTime), e.Usage.MaxRSS, e.Usage.Fuel,
	}}
	switch {
	case e.Status.Unknown:
	case e.Status.Signal != "":
		j.Signal = &e.Status.Signal
	default:
		j.ExitCode = &e.Status.ExitCode
	}
	if e.Reason != core.ReasonNone {
		reason := string(e.Reason)
		j.Reason = &reason
	}
	return j
}

func (j *exitJSON) exit() core.Exit {
	e := core.Exit{Usage: core.Usage{
		UserTime: time.Duration(j.Usage.UserTime), SystemTime: time.Duration(j.Usage.SystemTime),
		MaxRSS: j.Usage.MaxRSS, Fuel: j.Usage.Fuel,
	}}
	switch {
	case j.Signal != nil:
		e.Status.Signal = *j.Signal
	case j.ExitCode != nil:
		e.Status.ExitCode = *j.ExitCode
	default:
		e.Status.Unknown = true
	}
	if j.Reason != nil {
		e.Reason = core.Reason(*j.Reason)
	}
	return e
}

type effectJSON struct {
	Kind       string       `json:"kind"`
	TerminalID string       `json:"terminalId"`
	SessionID  string       `json:"sessionId"`
	Command    *commandJSON `json:"command"`
	Exec       *execJSON    `json:"exec"`
	DataLength *int         `json:"dataLength"`
	Lost       uint64       `json:"lost"`
	Rows       int          `json:"rows"`
	Cols       int          `json:"cols"`
	Signal     string       `json:"signal"`
	Reason     *string      `json:"reason"`
	Exit       *exitJSON    `json:"exit"`
	Error      *errorJSON   `json:"error"`
}

// effect returns all of an effect but its Data.
func (j *effectJSON) effect() (core.Effect, error) {
	e := core.Effect{
		ID: core.TerminalID(j.TerminalID), Session: core.SessionID(j.SessionID),
		Lost: j.Lost, Rows: j.Rows, Cols: j.Cols, Signal: j.Signal,
	}
	for k := core.Resolve; k <= core.Evicted; k++ {
		if k.String() == j.Kind {
			e.Kind = k
		}
	}
	if e.Kind == 0 {
		return e, fmt.Errorf("no such effect: %q", j.Kind)
	}
	if j.Reason != nil {
		e.Reason = core.Reason(*j.Reason)
	}
	if j.Command != nil {
		c, err := j.Command.command()
		if err != nil {
			return e, err
		}
		c.Session = e.Session // said once, for all of the effect
		e.Command = &c
	}
	if j.Exec != nil {
		x, err := j.Exec.exec()
		if err != nil {
			return e, err
		}
		x.Command.Session = e.Session
		e.Exec = &x
	}
	if j.Exit != nil {
		e.Exit = j.Exit.exit()
	}
	if j.Error != nil {
		e.Err = &core.HostError{Reason: j.Error.Reason, Message: j.Error.Message}
	}
	return e, nil
}

type statusJSON struct {
	SessionID string    `json:"sessionId"`
	State     string    `json:"state"`
	Released  bool      `json:"released"`
	Exec      execJSON  `json:"exec"`
	Rows      int       `json:"rows"`
	Cols      int       `json:"cols"`
	Exit      *exitJSON `json:"exit"`
	Started   *int64    `json:"startedNs"`
	Ended     *int64    `json:"endedNs"`
}

func (j *statusJSON) status() (core.Status, error) {
	x, err := j.Exec.exec()
	if err != nil {
		return core.Status{}, err
	}
	x.Command.Session = core.SessionID(j.SessionID)
	s := core.Status{Session: core.SessionID(j.SessionID), Released: j.Released, Exec: x, Rows: j.Rows, Cols: j.Cols}
	for s.State = core.StateResolving; s.State.String() != j.State; s.State++ {
		if s.State == core.StateExited {
			return s, fmt.Errorf("no such state: %q", j.State)
		}
	}
	if j.Exit != nil {
		s.Exit = j.Exit.exit()
	}
	if j.Started != nil {
		s.Started = time.Unix(0, *j.Started).UTC()
	}
	if j.Ended != nil {
		s.Ended = time.Unix(0, *j.Ended).UTC()
	}
	return s, nil
}
