package main

import (
	"context"
	"errors"
	"strings"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/plugins"
)

// An unbuilt is the sandbox of a build that lacks commands of ours. Where a
// command is not found, it says how to get them.
type unbuilt struct {
	closingHost
	missing error
}

// withHint returns host as it is, unless this build lacks commands.
func withHint(host closingHost) closingHost {
	for _, m := range plugins.Modules() {
		if err := m.Missing(); err != nil {
			return unbuilt{host, err}
		}
	}
	return host
}

// Resolve implements driver.Host.
func (u unbuilt) Resolve(ctx context.Context, c core.Command) (core.Exec, error) {
	e, err := u.closingHost.Resolve(ctx, c)
	refused, ok := errors.AsType[*core.HostError](err)
	isPath := len(c.Args) > 0 && strings.Contains(c.Command, "/")
	if !ok || isPath || startStatus(err) != statusNotFound {
		return e, err
	}
	hint := *refused
	hint.Message += ": " + u.missing.Error()
	return e, &hint
}

// PrepareAll implements preparer.
func (u unbuilt) PrepareAll(ctx context.Context) error {
	if h, ok := u.closingHost.(preparer); ok {
		return h.PrepareAll(ctx)
	}
	return nil
}
