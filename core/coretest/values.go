package coretest

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/terrarium-dev/terrarium/core"
)

// Config returns what a config line says, with a fixed seed.
func (l Line) Config() (core.Config, error) {
	c := core.Config{Seed: [16]byte{'c', 'o', 'r', 'e', 't', 'e', 's', 't'}, Ask: l.Has("ask"), Screens: l.Has("screens")}
	durations := map[string]*time.Duration{
		"kill-grace": &c.KillGrace, "lost-after": &c.LostAfter, "timeout": &c.Timeout,
		"drain-silence": &c.DrainSilence, "drain-limit": &c.DrainLimit,
	}
	ints := map[string]*int{
		"rows": &c.Rows, "cols": &c.Cols, "max-input": &c.MaxInput, "live-bytes": &c.LiveBytes,
		"max-terminals": &c.MaxTerminals, "max-session-terminals": &c.MaxSessionTerminals,
		"keep-terminals": &c.KeepTerminals, "max-kept-terminals": &c.MaxKeptTerminals,
	}
	int64s := map[string]*int64{
		"output-byte-limit": &c.OutputByteLimit, "max-output-byte-limit": &c.MaxOutputByteLimit,
		"max-output-bytes": &c.MaxOutputBytes, "keep-bytes": &c.KeepBytes,
		"max-kept-bytes": &c.MaxKeptBytes,
	}
	for key := range l.Named {
		var err error
		switch {
		case durations[key] != nil:
			*durations[key], err = l.Duration(key)
		case ints[key] != nil:
			*ints[key], err = strconv.Atoi(l.Get(key))
		case int64s[key] != nil:
			*int64s[key], err = l.Int(key)
		default:
			err = fmt.Errorf("no such config: %s", key)
		}
		if err != nil {
			return core.Config{}, err
		}
	}
	return c, nil
}

// Command returns what a create line asks for.
func (l Line) Command() (core.Command, error) {
	c := core.Command{
		Command: l.Get("command"), Args: l.Named["arg"], Cwd: l.Get("cwd"), Roots: l.Named["root"],
		Traceparent: core.ParseTraceparent(l.Get("traceparent")),
		Pty:         l.Has("pty"), OneStream: l.Has("one-stream"), Interactive: l.Has("interactive"), Screen: l.Has("screen"),
	}
	for _, e := range l.Named["env"] {
		name, value, ok := strings.Cut(e, "=")
		if !ok {
			return c, fmt.Errorf("env without =: %s", e)
		}
		c.Env = append(c.Env, core.EnvVariable{Name: name, Value: value})
	}
	for _, name := range l.Named["env-name"] {
		c.Env = append(c.Env, core.EnvVariable{Name: name})
	}
	if len(l.Named["ask-sandbox"]) > 0 {
		c.Bounds = &core.Bounds{Sandbox: l.Get("ask-sandbox"), Net: l.Named["ask-net"]}
	}
	if name := l.Get("render"); name != "" {
		var ok bool
		if c.Rendering, ok = core.ParseRendering(name); !ok {
			return c, fmt.Errorf("no such rendering: %s", name)
		}
	}
	rows, err1 := l.Int("rows")
	cols, err2 := l.Int("cols")
	limit, err3 := l.Int("limit")
	timeout, err4 := l.Duration("timeout")
	c.Rows, c.Cols, c.OutputByteLimit, c.Timeout = int(rows), int(cols), limit, timeout
	return c, firstError(err1, err2, err3, err4)
}

// Exec returns what a resolved line says.
func (l Line) Exec() core.Exec {
	return core.Exec{Path: l.Get("path"), Argv: l.Named["argv"], Via: core.Via(l.Get("via")), Sandbox: l.Get("sandbox"), Terms: l.Get("terms")}
}

// Exit returns the record of an exit line.
func (l Line) Exit() (core.Exit, error) {
	e := core.Exit{Reason: core.Reason(l.Get("reason"))}
	e.Status.Signal = l.Get("signal")
	e.Status.Unknown = l.Has("unknown")
	if e.Status.Signal != "" || e.Status.Unknown {
		return e, nil
	}
	code, err := strconv.ParseUint(l.Get("code"), 10, 32)
	e.Status.ExitCode = uint32(code)
	return e, err
}

// Decision returns what a decision line says.
func (l Line) Decision() core.Decision {
	if l.Has("allow") {
		return core.Decision{Allow: true, More: l.Has("more")}
	}
	return core.Decision{Reason: l.Get("deny")}
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
