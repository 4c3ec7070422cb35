package hostnative

import (
	"fmt"

	"github.com/terrarium-dev/terrarium/hostnative/internal/strays"
)

func (k *containment) report() []Mechanism {
	cgroup := mechanism("cgroup", k.cgroupErr, "below "+string(k.cgroups.in))
	if k.cgroupErr == nil && k.refused.Load() {
		cgroup.Used, cgroup.Detail = false, "the system starts no process in "+cgroup.Detail[len("below "):]
	}
	pid, watchErr := watch.state()
	return []Mechanism{
		mechanism("process group", nil, "of each command"),
		cgroup,
		mechanism("subreaper", k.reaperErr, "orphans become children of this program"),
		mechanism("environment", k.selfErr, strays.Env+"="+k.self.String()+"-…"),
		mechanism("watchdog", watchErr, fmt.Sprintf("process %d", pid)),
	}
}

func mechanism(name string, err error, detail string) Mechanism {
	if err != nil {
		return Mechanism{Name: name, Detail: err.Error()}
	}
	return Mechanism{Name: name, Used: true, Detail: detail}
}
