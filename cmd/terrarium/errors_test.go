package main

import (
	"bytes"
	"errors"
	"io/fs"
	"syscall"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
)

func TestReport(t *testing.T) {
	refusal := func(op, reason, message string) error {
		return &core.HostError{Reason: reason, Message: message, Err: &fs.PathError{Op: op, Path: "x", Err: syscall.EINVAL}}
	}
	for _, test := range []struct {
		err    error
		status int
		said   string
	}{
		{nil, 0, ""},
		{exitStatus(7), 7, ""},
		{&failure{125, exitStatus(1)}, 125, ""},
		{errors.New("why"), 1, "terrarium: why\n"},
		{errors.New("/\x1b[2J\a\n/é\u009b\xff\u202e: \"why\""), 1, "terrarium: /\\x1b[2J\\a\\n/é\\u009b\\xff\\u202e: \"why\"\n"},
		{&usageError{"terrarium x", errors.New("why")}, 2, "terrarium: why\nusage: terrarium x\n"},
		{&usageError{"terrarium x", &failure{125, errors.New("why")}}, 125, "terrarium: why\n"},
		{startFailure(refusal("exec", "not_found", "x: not found in PATH")), 127, "terrarium: x: not found in PATH\n"},
		{startFailure(refusal("shell", "not_found", "x: not found in PATH (shell)")), 127, "terrarium: x: not found in PATH (shell)\n"},
		{startFailure(refusal("exec", "not_executable", "/x: no program")), 126, "terrarium: /x: no program\n"},
		{startFailure(refusal("exec", "no_resources", "/x: no more processes")), 125, "terrarium: /x: no more processes\n"},
		{startFailure(refusal("cwd", "not_found", "/x: no such directory (cwd)")), 125, "terrarium: /x: no such directory (cwd)\n"},
		{startFailure(refusal("pty", "no_resources", "pty: no more ptys")), 125, "terrarium: pty: no more ptys\n"},
		{startFailure(errors.New("hostnative: why")), 125, "terrarium: why\n"},
		{startFailure(&core.InvalidError{Param: "command", Reason: "empty"}), 2, "terrarium: invalid command: empty\n"},
		{&failure{125, &fs.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE}}, 141, ""},
	} {
		var w bytes.Buffer
		if status := report(&w, test.err); status != test.status || w.String() != test.said {
			t.Errorf("report(%v): got %d, %q, want %d, %q", test.err, status, w.String(), test.status, test.said)
		}
	}
}
