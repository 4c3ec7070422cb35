package wazero

import (
	"fmt"
	"runtime/debug"
	"strings"
	"sync"

	"golang.org/x/sys/cpu"
)

// version is what compiled code depends on.
var version = sync.OnceValue(func() string {
	v := fmt.Sprint(cpu.X86, cpu.ARM64)
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown " + v
	}
	for _, m := range info.Deps {
		if strings.HasPrefix(m.Path, "github.com/tetratelabs/wazero") {
			v = m.Path + "@" + m.Version + " " + v
		}
	}
	return v
})
