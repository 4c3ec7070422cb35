//go:build !linux || !(amd64 || arm64)

package confine

import (
	"errors"
	"fmt"
	"runtime"
)

var errUnsupported = fmt.Errorf("sandbox: there is none for %s on %s: %w", runtime.GOOS, runtime.GOARCH, errors.ErrUnsupported)

// Apply fails.
func Apply(r Rules, notify bool) (Report, int, error) {
	if r.Level == Off {
		return Report{}, -1, r.Check()
	}
	return Available(), -1, errUnsupported
}

// Closed returns nil.
func (Rules) Closed() error { return nil }

// A Prepared has nothing.
type Prepared struct{}

// Prepare fails.
func Prepare(Rules) (*Prepared, error) { return nil, errUnsupported }

// Apply is the function Apply.
func (*Prepared) Apply(r Rules, notify bool) (Report, int, error) { return Apply(r, notify) }

// Close does nothing.
func (*Prepared) Close() {}

// NarrowPty fails.
func NarrowPty(Rules, string) error { return errUnsupported }

// Changed reports false.
func (*Report) Changed(Rules) bool { return false }

// Available returns that there is nothing.
func Available() Report {
	return Report{Missing: []Gap{{"landlock", errUnsupported.Error()}, {"seccomp", errUnsupported.Error()}}}
}
