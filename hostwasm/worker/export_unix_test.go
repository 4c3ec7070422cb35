//go:build linux || darwin

package worker

import "github.com/terrarium-dev/terrarium/core/driver"

// Overdue is what is done when a process's time is over.
func Overdue(p driver.Process) { p.(*process).overdue() }
