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

	rules   *rules    // nil for a command that is not confined
	ward    *ward     // of those of its session that are confined in the same way
	refused *refusals // where it is told what it was refused
}

// A command is one that was started, and its tree, as whoever keeps it sees it: a
// tree.Tree here, or a keeper.Command elsewhere, which say what the methods do.
type command interface {
	Pid() int
	Cgroup() string
	Exited() bool
	Wait() (core.Exit, error)
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
	return local.Start(ts)
}

func mechanisms(list []tree.Mechanism) []Mechanism {
	all := make([]Mechanism, len(list))
	for i, m := range list {
		all[i] = Mechanism(m)
	}
	return all
}
