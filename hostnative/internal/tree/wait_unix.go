//go:build linux || darwin

package tree

import (
	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
)

// cldExited is waitid(2)'s CLD_EXITED in si_code. The others that it gives of
// a dead child, CLD_KILLED and CLD_DUMPED, both mean a signal.
const cldExited = 1

// exitStatus translates waitid(2)'s si_code and si_status.
func exitStatus(code, status int32) core.ExitStatus {
	if code == cldExited {
		return core.ExitStatus{ExitCode: uint32(status)}
	}
	return core.ExitStatus{Signal: SignalName(unix.Signal(status))}
}

// reap removes c's zombie.
func (c child) reap() {
	for {
		if _, err := unix.Wait4(c.pid, nil, 0, nil); err != unix.EINTR {
			return
		}
	}
}
