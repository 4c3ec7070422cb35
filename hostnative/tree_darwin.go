package hostnative

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// This file has been compiled and vetted, but not run: that Close ends the
// process group is shown on Linux only.

// A tree is what a command has started outside of its process group. There is
// no telling here: no cgroups, and orphans become init's.
type tree struct{}

func (k *containment) newTree() *tree { return new(tree) }

func (*tree) place() string { return "" }

func (k *containment) start(path string, argv []string, env environ, attr *syscall.ProcAttr) (child, *tree, error) {
	attr.Env = env.list
	c, err := startChild(path, argv, attr)
	return c, k.newTree(), err
}

func (t *tree) signal(int, unix.Signal, time.Time) {}
func (t *tree) kill(int, bool, time.Time) error    { return nil }
func (t *tree) end(int, bool, time.Time) error     { return nil }

func (t *tree) reap(c child) { c.reap() }
func (t *tree) forget(child) {}
