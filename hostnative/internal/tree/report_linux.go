package tree

import (
	"os"

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
		k.kernelLimit("limit processes", "pids.max", strays.Pids),
		k.kernelLimit("limit memory at once", "memory.max", strays.Memory),
	}
}

// kernelLimit tells whether the kernel keeps, or would keep, commands to a limit.
func (k *Containment) kernelLimit(name, file string, controller strays.Controller) Mechanism {
	err := k.cgroupErr
	var d strays.Delegation
	if err == nil {
		d, err = strays.Delegated([]strays.Controller{controller}, os.Getppid())
	}
	return mechanism(name, err, file+" of each command's cgroup, below "+string(d.In))
}

func mechanism(name string, err error, detail string) Mechanism {
	if err != nil {
		return Mechanism{Name: name, Detail: err.Error()}
	}
	return Mechanism{Name: name, Used: true, Detail: detail}
}
