//go:build linux || darwin

package worker_test

import (
	"errors"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostwasm/worker"
)

// That a worker could not be started some time ago is not what a command fails
// with that starts now.
func TestStaleFailure(t *testing.T) {
	h := newHost(t, worker.Config{Pool: 1})
	worker.SpoilPool(t, h, errors.New("an hour ago"))
	if got := run(t, h, command("exit", "0")); got.exit.Status != (core.ExitStatus{}) {
		t.Errorf("got %v, %s", got.exit.Status, got.stderr)
	}
}

// A command whose session's worker takes no more, before it had one, goes to another.
func TestRetiredBeforeFirst(t *testing.T) {
	h := newHost(t, worker.Config{Pool: 1})
	worker.RetirePool(t, h)
	if got := run(t, h, command("exit", "7")); got.exit.Status.ExitCode != 7 {
		t.Errorf("got %v, %s", got.exit.Status, got.stderr)
	}
}
