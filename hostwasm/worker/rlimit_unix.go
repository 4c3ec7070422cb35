//go:build linux || darwin

package worker

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/hostwasm"
)

// A rlimit is one limit of setrlimit(2), and up to what it may be raised.
type rlimit struct {
	name     string
	resource int
	now, max uint64
}

// always returns a limit that stays as it is.
func always(name string, resource int, n uint64) rlimit { return rlimit{name, resource, n, n} }

// limitResources sets what the system enforces on a worker that runs guests,
// beyond what their host does. A file may not become larger than what the
// guests of a command may write in all.
func limitResources(l hostwasm.Limits, most int) Measure {
	limits := limitsFor(l, 1)
	for i, last := range limitsFor(l, most) {
		if limits[i].max = last.now; !canRaise {
			limits[i].now = last.now
		}
	}
	return setLimits(append(limits,
		always("bytes a file", unix.RLIMIT_FSIZE, noneIfNegative(l.Disk)),
		always("cpu seconds", unix.RLIMIT_CPU, cpuSeconds(l.Wall)),
		always("bytes of core", unix.RLIMIT_CORE, 0),
	)...)
}

// workerMemory is what a worker may have of memory besides that of its commands:
// Go's, compiled code while it is loaded, and the stacks of threads, which count
// whether they are used or not.
const workerMemory = 2<<30 + maxWaiting*threadStack

// limitsFor are the limits that a worker has for so many commands. The host raises
// them, as commands come: the worker can't.
func limitsFor(l hostwasm.Limits, commands int) []rlimit {
	n := uint64(commands)
	memory := noneIfNegative(l.Memory)
	if l.Memory >= 0 {
		memory = workerMemory + n*memory
	}
	return []rlimit{
		{name: "open files", resource: unix.RLIMIT_NOFILE, now: n*uint64(l.OpenFiles)*uint64(l.Processes) + 256},
		{name: "bytes of memory", resource: unix.RLIMIT_DATA, now: memory},
	}
}

// maxCompiled is more than the largest module becomes, compiled.
const maxCompiled = 4 << 30

// What a compiler may have of memory, for a module of no size and for each byte
// of it. wazero takes 27 bytes, besides what Go reserves.
const (
	compilerMemory = 1 << 30
	memoryPerByte  = 48
)

// limitCompiler is the same for one that compiles a module of so many bytes.
func limitCompiler(l hostwasm.Limits, module int64) Measure {
	return setLimits(
		always("open files", unix.RLIMIT_NOFILE, 256),
		always("bytes a file", unix.RLIMIT_FSIZE, maxCompiled),
		always("bytes of memory", unix.RLIMIT_DATA, uint64(compilerMemory+memoryPerByte*module)),
		always("cpu seconds", unix.RLIMIT_CPU, uint64(math.Ceil(l.Compile.Seconds()))),
		always("bytes of core", unix.RLIMIT_CORE, 0),
	)
}

// cpuSeconds is what all processors can spend until a worker's last command has
// ended, which may take so long, and a little more.
func cpuSeconds(wall time.Duration) uint64 {
	if wall <= 0 {
		return math.MaxUint64
	}
	return uint64((maxAge + wall + wallGrace).Seconds()) * uint64(runtime.NumCPU())
}

func noneIfNegative(n int64) uint64 {
	if n < 0 {
		return math.MaxUint64
	}
	return uint64(n)
}

// setLimits lowers limits. They can't be raised any more, or up to their max.
func setLimits(limits ...rlimit) Measure {
	var set []string
	var errs []error
	for _, l := range limits {
		var now unix.Rlimit
		err := unix.Getrlimit(l.resource, &now)
		most := min(l.max, now.Max)
		n := min(l.now, most)
		if err == nil {
			err = unix.Setrlimit(l.resource, &unix.Rlimit{Cur: n, Max: most})
		}
		switch {
		case err != nil:
			errs = append(errs, fmt.Errorf("%s: %w", l.name, err))
		case n != unix.RLIM_INFINITY:
			set = append(set, fmt.Sprint(n, " ", l.name))
		}
	}
	return measure("rlimits", errors.Join(errs...), strings.Join(set, ", "))
}
