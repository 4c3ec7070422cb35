package hostnative_test

import (
	"context"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostnative"
)

// A daemon without variables, of which nobody can tell whose it is where there are no cgroups, does
// not keep other commands from beginning, whose limits are set when they have begun.
func TestStartBesideBareDaemon(t *testing.T) {
	h := newHost(t, hostnative.Config{NoCgroup: true, Limits: hostnative.Limits{FileSize: 1 << 30}})
	script := `setsid env -i /bin/sh -c 'exec 3>"$1" </dev/null >/dev/null 2>&1; echo up >&3; sleep 1000; :' sh "$1" &`
	p, _ := startDaemon(t, h, script, modes[0].mode)
	waitExit(t, p)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	e, err := h.Resolve(ctx, core.Command{Command: "true", Args: []string{"x"}})
	if err != nil {
		t.Fatal(err)
	}
	started := make(chan error, 1)
	go func() { // ends with the test, or with the daemon where this fails
		p, err := h.Start(ctx, e)
		if err == nil {
			p.Close()
		}
		started <- err
	}()
	select {
	case err := <-started:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(patience):
		t.Error("it has not begun while the daemon is there")
	}
}
