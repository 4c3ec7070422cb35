package hostnative

import (
	"errors"
	"slices"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/hostnative/internal/keeper"
	"github.com/terrarium-dev/terrarium/hostnative/internal/strays"
)

// A room is the cgroup of one confined command at a time. Its keeper is within reach of the
// session's commands, so the room is made, and what is in it killed, by the keeper above, which is
// not: a command that takes over its keeper can't have another terminal's processes survive.
//
// To make a room takes a message there and one back, and so does to end it. So a keeper's next
// command gets that of one before, if that has left it empty.
type room struct {
	*keeper.Command             // see keeper.Keeper.Room
	killed          atomic.Bool // all in it were: then it is used once, as cgroups.giveBack says
}

var errNotInRoom = &fault{text: "the keeper has not started the command in its cgroup"}

// roomFor returns a room for a command of a keeper that is below another one, and a descriptor of
// its cgroup, which is the caller's. It is nil where there are no cgroups, or the kernel can't ask
// us whether the keeper may use one.
func (p *pool) roomFor(one *kept) (in *room, cgroup int, err error) {
	if one.above == nil || !one.Asks() {
		return nil, -1, nil
	}
	if in := p.takeSpare(one); in != nil {
		if cgroup, err := strays.Cgroup(in.Cgroup()).Open(); err == nil {
			return in, cgroup, nil
		}
		in.End(func() {}) // somebody has removed it
	}
	c, err := one.above.Room()
	if errors.Is(err, errors.ErrUnsupported) {
		return nil, -1, nil
	}
	if err != nil {
		return nil, -1, err
	}
	if cgroup, err = strays.Cgroup(c.Cgroup()).Open(); err != nil {
		c.End(func() {})
		return nil, -1, err
	}
	return &room{Command: c}, cgroup, nil
}

// vacate ends a room whose command has ended, or keeps it for the keeper's next one, if it is known
// to be empty or turns out to be. What counts as another command's use of memory can't be taken
// back, and where Landlock does not hold files a command may have changed its cgroup: then each
// room is used once.
func (p *pool) vacate(one *kept, in *room, empty bool) error {
	if p.memory || in.killed.Load() || !one.HoldsFiles() || !empty && !in.isEmpty() || !p.keepSpare(one, in) {
		return in.End(func() {})
	}
	return nil
}

// keepSpare keeps a room for the next command of a keeper, if that may have one and has no other.
func (p *pool) keepSpare(one *kept, in *room) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if one.spare != nil || !slices.Contains(p.keepers, one) {
		return false
	}
	one.spare = in
	return true
}

func (p *pool) takeSpare(one *kept) *room {
	p.mu.Lock()
	defer p.mu.Unlock()
	in := one.spare
	one.spare = nil
	return in
}

// endSpare is for a keeper that starts nothing more.
func (p *pool) endSpare(one *kept) {
	if in := p.takeSpare(one); in != nil {
		in.End(func() {})
	}
}

// isEmpty reports whether nobody lives in the room.
func (in *room) isEmpty() bool { return strays.Cgroup(in.Cgroup()).Empty() }

// has reports whether a process is in the room, or there is none of that number any longer.
func (in *room) has(pid int) bool {
	return strays.Cgroup(in.Cgroup()).Holds(pid) || unix.Kill(pid, 0) == unix.ESRCH
}
