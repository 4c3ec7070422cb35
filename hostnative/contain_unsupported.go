//go:build !linux

package hostnative

import "errors"

// A containment is how a Host keeps hold of what its commands start. Here it
// is by the process group alone.
type containment struct{}

func newContainment(Config) *containment { return nil }

func (k *containment) close()          {}
func (k *containment) limit(int) error { return errors.New("it takes cgroups") }
func (k *containment) unwatch()        {}

func (k *containment) report() []Mechanism {
	return []Mechanism{
		{Name: "process group", Used: true, Detail: "of each command"},
		{Name: "cgroup", Detail: "Linux only"},
		{Name: "subreaper", Detail: "Linux only"},
		{Name: "environment", Detail: "Linux only"},
		{Name: "watchdog", Detail: "Linux only"},
	}
}
