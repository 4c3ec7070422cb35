package main

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/index"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/plugin"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/printable"
	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/plugins/absent"
)

// A hinting is a sandbox that says, where a command is not found, what there is
// instead, or how to get it.
type hinting struct {
	closingHost
	lack lack // of our own modules
}

func withHints(host closingHost) closingHost {
	return hinting{host, lacking()}
}

// Resolve implements driver.Host.
func (u hinting) Resolve(ctx context.Context, c core.Command) (core.Exec, error) {
	e, err := u.closingHost.Resolve(ctx, c)
	if err == nil && e.Via == core.ViaShell && u.lack["box"] == nil && isModule(c.Command) {
		return e, &core.HostError{Reason: "not_found", Message: printable.Text(c.Command) + noModule,
			Err: &fs.PathError{Op: "exec", Path: c.Command, Err: fs.ErrNotExist}}
	}
	refused, ok := errors.AsType[*core.HostError](err)
	isPath := len(c.Args) > 0 && strings.Contains(c.Command, "/")
	if !ok || isPath && !isModule(c.Command) || startStatus(err) != statusNotFound {
		return e, err
	}
	hint := *refused
	advice := adviceOn(c.Command)
	reason, missing := u.lack.of(c.Command)
	switch {
	case missing != nil:
		hint.Reason, hint.Message = reason, hint.Message+": "+missing.Error()
	case isModule(c.Command):
		hint.Message = printable.Text(c.Command) + noModule
	case advice != "":
		hint.Message += ": " + advice
	}
	return e, &hint
}

// adviceOn returns what a person can do who has not got a command.
func adviceOn(name string) string {
	switch name {
	case "pip", "pip3", "pytest":
		return onPackages(name)
	}
	advice, isPlugin := absent.Advice(name)
	x, err := index.Own()
	switch {
	case strings.Contains(advice, "terrarium plugins add"): // it is told already
	case err == nil && x.Find(name) != nil:
		if !isPlugin { // or it is told already what that is
			advice = "a plugin has it"
		}
		return advice + ": terrarium plugins add " + x.Find(name).Name
	case isPlugin:
		return advice + ": terrarium plugins add FILE"
	}
	return advice
}

// onPackages returns what a person can do for a command that brings Python's packages,
// or is one.
func onPackages(name string) string {
	const add = "terrarium plugins pip add "
	python := plugin.Commands(nil, usersPlugins())["python3"]
	switch {
	case python == nil && name == "pytest":
		return "a person can add it: terrarium plugins add python, then " + add + name
	case python == nil:
		return "packages are added by a person: terrarium plugins add python, then " + add + "NAME"
	case name == "pytest":
		return "python -m pytest runs it, once a person has added it: " + add + name
	}
	return "packages are added by a person: " + add + "NAME"
}

const noModule = ": no such file, here or in the sandbox"

// isModule reports whether a command is the name of a module, and no line for a
// shell.
func isModule(command string) bool {
	return strings.HasSuffix(command, ".wasm") && !strings.ContainsAny(command, " \t\n;&|<>()$`\\\"'*?[{=")
}

// PrepareAll implements preparer.
func (u hinting) PrepareAll(ctx context.Context) error {
	if h, ok := u.closingHost.(preparer); ok {
		return h.PrepareAll(ctx)
	}
	return nil
}
