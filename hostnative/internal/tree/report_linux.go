package tree

import "github.com/terrarium-dev/terrarium/hostnative/internal/strays"

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
	}
}

func mechanism(name string, err error, detail string) Mechanism {
	if err != nil {
		return Mechanism{Name: name, Detail: err.Error()}
	}
	return Mechanism{Name: name, Used: true, Detail: detail}
}
