package hostnative

import (
	"errors"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/hostnative/internal/keeper"
	"github.com/terrarium-dev/terrarium/hostnative/internal/strays"
)

// A room is the cgroup of one confined command. Its keeper is within reach of the session's
// commands, so the room is made, and what is in it killed, by the keeper above, which is not:
// a command that takes over its keeper can't have another terminal's processes survive.

var errNotInRoom = &fault{text: "the keeper has not started the command in its cgroup"}

// roomFor returns a new room for a command of a keeper that is below another one. It is nil
// where there are no cgroups, or the kernel can't ask us whether the keeper may use one.
func roomFor(one *kept) (*keeper.Command, error) {
	if one.above == nil || !one.Asks() {
		return nil, nil
	}
	c, err := one.above.Room()
	if errors.Is(err, errors.ErrUnsupported) {
		return nil, nil
	}
	return c, err
}

// isIn reports whether a process is in a room, or there is none of that number any longer.
func isIn(pid int, in *keeper.Command) bool {
	return strays.Cgroup(in.Cgroup()).Holds(pid) || unix.Kill(pid, 0) == unix.ESRCH
}
