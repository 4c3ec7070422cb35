package tree

import (
	"errors"
	"syscall"
)

// A Config says by which means a Containment keeps hold of trees. Here there is
// one only.
type Config struct {
	NoCgroup bool
	Limits   Limits
}

// A Containment is how this program keeps hold of what its commands start. Here it
// is by the process group alone.
type Containment struct{ limits Limits }

// New returns a Containment.
func New(c Config) *Containment { return &Containment{c.Limits} }

// Limited says why trees can't be limited as Config.Limits says, or nil.
func (k *Containment) Limited() error {
	if k.limits != (Limits{}) {
		return errors.New("it takes Linux")
	}
	return nil
}

// Close does nothing.
func (*Containment) Close() {}

// Start starts a command in a tree of its own. The error has what the system said
// below it. The caller keeps s.Files open.
func (*Containment) Start(s Spec) (*Tree, error) {
	attr := &syscall.ProcAttr{Dir: s.Dir, Env: s.Env, Files: s.Files[:], Sys: &syscall.SysProcAttr{Setsid: true}}
	if s.Ctty {
		attr.Sys.Setctty = true
		attr.Sys.Ctty = 1
	}
	c, err := startChild(s.Path, s.Argv, attr)
	if err != nil {
		return nil, err
	}
	return newTree(c, offspring{}), nil
}

// Report tells by which means trees are known.
func (*Containment) Report() []Mechanism {
	return []Mechanism{
		{Name: "process group", Used: true, Detail: "of each command"},
		{Name: "cgroup", Detail: "Linux only"},
		{Name: "subreaper", Detail: "Linux only"},
		{Name: "environment", Detail: "Linux only"},
		{Name: "limits of use", Detail: "Linux only"},
		{Name: "limits of files", Detail: "Linux only"},
		{Name: "limit processes", Detail: "Linux only"},
		{Name: "limit memory at once", Detail: "Linux only"},
	}
}
