//go:build amd64 || arm64

package confine

import (
	"cmp"
	"os"

	"golang.org/x/sys/unix"
)

// A Binder is for who binds the paths of sockets for commands: its threads make none
// where those may not write. It is safe for concurrent use.
type Binder struct{ rules *ruleset } // nil without Landlock

// NewBinder returns a Binder for commands that r confines. What is made later where r
// grants entry by entry counts as not handed over.
func NewBinder(r Rules) (*Binder, error) {
	if version, _ := landlockVersion(); version == 0 || r.Level == Off {
		return &Binder{}, nil
	}
	attr := unix.LandlockRulesetAttr{Handled_access_fs: unix.LANDLOCK_ACCESS_FS_MAKE_SOCK}
	_, size := handledBy(1, false)
	rules, err := newRuleset(&attr, size)
	if err != nil {
		return nil, err
	}
	g := newGranter(rules, r, r.hidden())
	if err := cmp.Or(g.grantCommon(r), g.grantHanded(r)); err != nil {
		rules.close()
		return nil, err
	}
	return &Binder{rules}, nil
}

// Restrict restricts the calling thread, for good. It has to be locked, and end soon:
// nothing may be started from it.
func (b *Binder) Restrict() error {
	if b.rules == nil {
		return nil
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return os.NewSyscallError("prctl", err)
	}
	return b.rules.restrict()
}

// Close lets go of what the Binder holds.
func (b *Binder) Close() {
	if b.rules != nil {
		b.rules.close()
	}
}
