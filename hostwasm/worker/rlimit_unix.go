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

// A rlimit is one limit of setrlimit(2).
type rlimit struct {
	name     string
	resource int
	max      uint64
}

// limitResources sets what the system enforces on a worker that runs guests,
// beyond what their host does. A file may not become larger than what the
// guests may write in all.
func limitResources(l hostwasm.Limits) Measure {
	return setLimits(
		rlimit{"open files", unix.RLIMIT_NOFILE, uint64(l.OpenFiles)*uint64(l.Processes) + 256},
		rlimit{"bytes a file", unix.RLIMIT_FSIZE, noneIfNegative(l.Disk)},
		rlimit{"cpu seconds", unix.RLIMIT_CPU, cpuSeconds(l.Wall)},
		rlimit{"bytes of core", unix.RLIMIT_CORE, 0},
	)
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
		rlimit{"open files", unix.RLIMIT_NOFILE, 256},
		rlimit{"bytes a file", unix.RLIMIT_FSIZE, maxCompiled},
		rlimit{"bytes of memory", unix.RLIMIT_DATA, uint64(compilerMemory + memoryPerByte*module)},
		rlimit{"cpu seconds", unix.RLIMIT_CPU, uint64(math.Ceil(l.Compile.Seconds()))},
		rlimit{"bytes of core", unix.RLIMIT_CORE, 0},
	)
}

// cpuSeconds is what all processors can spend in d, and a little more.
func cpuSeconds(d time.Duration) uint64 {
	if d <= 0 {
		return math.MaxUint64
	}
	return uint64((d + wallGrace).Seconds()) * uint64(runtime.NumCPU())
}

func noneIfNegative(n int64) uint64 {
	if n < 0 {
		return math.MaxUint64
	}
	return uint64(n)
}

// setLimits lowers limits, for good.
func setLimits(limits ...rlimit) Measure {
	var set []string
	var errs []error
	for _, l := range limits {
		var now unix.Rlimit
		err := unix.Getrlimit(l.resource, &now)
		n := min(l.max, now.Max)
		if err == nil {
			err = unix.Setrlimit(l.resource, &unix.Rlimit{Cur: n, Max: n})
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
