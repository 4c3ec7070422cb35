package hostnative

import (
	"errors"
	"fmt"
	"strings"

	"github.com/terrarium-dev/terrarium/hostnative/internal/confine"
)

// findHolding returns what the kernel has: what it lacks is no error.
func findHolding() (holding, error) {
	return holding{missing: confine.Available().Err()}, nil
}

// connects says why commands in a sandbox can connect to nothing, or nil.
func connects() error {
	r := confine.Available()
	for _, gap := range r.Missing {
		if gap.Name == "notify" || gap.Name == "getfd" {
			return fmt.Errorf("sandbox: %s: %w", gap.Text, errors.ErrUnsupported)
		}
	}
	return r.Err()
}

// reportSandbox tells what a sandbox would have here.
func reportSandbox() Mechanism {
	r := confine.Available()
	m := Mechanism{Name: "sandbox", Used: r.Err() == nil}
	var parts []string
	if r.Landlock > 0 {
		parts = append(parts, fmt.Sprintf("Landlock version %d", r.Landlock))
	}
	if r.Calls {
		parts = append(parts, "a filter of system calls")
	}
	for _, gap := range r.Missing {
		parts = append(parts, gap.Text)
	}
	m.Detail = strings.Join(parts, "; ")
	return m
}
