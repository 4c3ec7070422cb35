//go:build linux || darwin

package hostnative

import (
	"os"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostnative/internal/tree"
)

// A spec is what is started.
type spec struct {
	path  string
	argv  []string
	env   []string
	ctty  bool // standard output becomes the controlling terminal
	files [3]*os.File
	cwd   *cwd // nil for this program's

	apart   bool      // it is not confined where others are
	rules   *rules    // nil for a command that is not confined
	ward    *ward     // of those of its session that are confined in the same way
	refused *refusals // where it is told what it was refused
	guarded *guarded  // nil for a command that is not confined
}

// A command is one that was started, and its tree, as whoever keeps it sees it: a
// tree.Tree here, or a keeper.Command elsewhere, which say what the methods do.
type command interface {
	Pid() int
	Cgroup() string
	Exited() bool
	Settled() <-chan struct{} // closed when it is known that nobody of the tree is left
	Wait() (core.Exit, error)
	Beyond() core.Reason
	Signal(sig unix.Signal) error
	SignalGroup(sig unix.Signal) error
	End(killed func()) error
}

// startHere has this program keep a command itself.
func startHere(local *tree.Containment, s spec) (command, error) {
	if s.rules != nil {
		return nil, errNoSandbox
	}
	ts := tree.Spec{Path: s.path, Argv: s.argv, Env: s.env, Ctty: s.ctty}
	for i, f := range s.files {
		ts.Files[i] = f.Fd()
	}
	if s.cwd != nil {
		ts.Dir = s.cwd.path
	}
	t, err := local.Start(ts)
	if err != nil {
		return nil, err
	}
	return localCommand{t}, nil
}

// A localCommand is one that this program keeps itself.
type localCommand struct{ *tree.Tree }

var nobodyLeft = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// Settled returns a channel that is closed, or never will be.
func (c localCommand) Settled() <-chan struct{} {
	if c.Settle() {
		return nobodyLeft
	}
	return nil
}

func mechanisms(list []tree.Mechanism) []Mechanism {
	all := make([]Mechanism, len(list))
	for i, m := range list {
		all[i] = Mechanism(m)
	}
	return all
}
