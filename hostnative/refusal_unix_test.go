//go:build linux || darwin

package hostnative

import (
	"errors"
	"testing"

	"golang.org/x/sys/unix"
)

// What can't be brought about in a test: the system has no more to give.
func TestStartFault(t *testing.T) {
	for _, test := range []struct {
		err          error
		text, reason string
	}{
		{unix.EAGAIN, "/bin/sh: no more processes", "no_resources"},
		{unix.ENOMEM, "/bin/sh: cannot allocate memory", "no_resources"},
		{unix.ENFILE, "/bin/sh: " + unix.ENFILE.Error(), "no_resources"},
		{unix.EACCES, "/bin/sh: permission denied", "permission_denied"},
		{unix.ETXTBSY, "/bin/sh: text file busy", "start_failed"},
		{unix.ENOENT, "/bin/sh: interpreter not found", "not_found"}, // a program's loader
	} {
		fault := startFault("/bin/sh", nil, nil, test.err)
		err := refuse(opExec, "/bin/sh", fault)
		if err.Error() != test.text || reason(fault) != test.reason || !errors.Is(err, test.err) {
			t.Errorf("got %q, reason %q, want %q, %q", err, reason(fault), test.text, test.reason)
		}
	}
}
