package tree

import (
	"cmp"

	"github.com/terrarium-dev/terrarium/hostnative/internal/strays"
)

// Report tells by which means trees are known.
func (k *Containment) Report() []Mechanism {
	cgroup := mechanism("cgroup", k.cgroupErr, "below "+string(k.cgroups.in))
	if k.cgroupErr == nil && k.refused.Load() {
		cgroup.Used, cgroup.Detail = false, "the system starts no process in "+string(k.cgroups.in)
	}
	return []Mechanism{
		mechanism("process group", nil, "of each command"),
		cgroup,
		mechanism("subreaper", k.reaperErr, "orphans become children of the keeper"),
		mechanism("environment", k.selfErr, strays.Env+"="+k.self.String()+"-…"),
		mechanism("limits of use", nil, "cpu, memory, disk: /proc and cgroups, ten times a second"),
		mechanism("limits of files", nil, "file-size, open-files: setrlimit(2)"),
		mechanism("limit processes", cmp.Or(k.cgroupErr, k.cgroups.hasPids()), "pids.max of its cgroup"),
	}
}

// hasPids says why cgroups can't have limits of processes, or nil.
func (g *cgroups) hasPids() error {
	if g.in == "" {
		return nil
	}
	return g.in.HasPids()
}

func mechanism(name string, err error, detail string) Mechanism {
	if err != nil {
		return Mechanism{Name: name, Detail: err.Error()}
	}
	return Mechanism{Name: name, Used: true, Detail: detail}
}
