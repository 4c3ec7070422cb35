package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
)

func TestReport(t *testing.T) {
	notFound := &fs.PathError{Op: "exec", Path: "x", Err: fmt.Errorf("not found in PATH: %w", fs.ErrNotExist)}
	for _, test := range []struct {
		err    error
		status int
		said   string
	}{
		{nil, 0, ""},
		{exitStatus(7), 7, ""},
		{errors.New("why"), 1, "terrarium: why\n"},
		{&usageError{"terrarium x", errors.New("why")}, 2, "terrarium: why\nusage: terrarium x\n"},
		{startFailure(fmt.Errorf("hostnative: %w", notFound)), 127, "terrarium: cannot run x: not found in PATH\n"},
		{startFailure(&fs.PathError{Op: "exec", Path: "/x", Err: syscall.ENOEXEC}), 126, "terrarium: cannot run /x: exec format error\n"},
		{startFailure(&fs.PathError{Op: "cwd", Path: "/x", Err: syscall.ENOENT}), 125, "terrarium: cannot enter /x: no such file or directory\n"},
		{startFailure(errors.New("hostnative: open pty: no more ptys")), 125, "terrarium: open pty: no more ptys\n"},
		{startFailure(&core.InvalidError{Param: "command", Reason: "empty"}), 2, "terrarium: invalid command: empty\n"},
		{&failure{125, &fs.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE}}, 141, ""},
	} {
		var w bytes.Buffer
		if status := report(&w, test.err); status != test.status || w.String() != test.said {
			t.Errorf("report(%v): got %d, %q, want %d, %q", test.err, status, w.String(), test.status, test.said)
		}
	}
}
