//go:build wasmtime

package wasmtime

import (
	"fmt"

	"golang.org/x/sys/unix"
)

const (
	// mostStack is what a guest's calls may take: wasmtime's own default, which
	// holds about what wazero's code does in engine.DefaultStack. When they take
	// more, wasmtime notes all of them, in some 10 times as much memory.
	mostStack  = 512 << 10
	leastStack = 256 << 10
	// usualThread is what a thread's stack is where RLIMIT_STACK does not say.
	//
	// pthread_create(3)
	usualThread = 2 << 20
)

// maxStack returns how many bytes a guest's stack may have, which is on the
// stack of the thread that Go has made for it: half of that at most, since
// code of wasmtime's and Go's runs there too.
func maxStack() (int, error) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_STACK, &limit); err != nil {
		return 0, fmt.Errorf("stack limit: %w", err)
	}
	thread := limit.Cur
	if thread > 1<<40 { // no limit
		thread = usualThread
	}
	if thread/2 < leastStack {
		return 0, fmt.Errorf("a stack limit of %d bytes (ulimit -s): at least %d are needed", thread, 2*leastStack)
	}
	return int(min(thread/2, mostStack)), nil
}
