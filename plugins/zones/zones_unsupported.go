//go:build !wasip1

package zones

import "time"

// named returns a zone of the system's table.
func named(name string) (*time.Location, error) {
	if name == "Local" { // is what package time calls ours
		return nil, errUnknown(name)
	}
	return time.LoadLocation(name)
}
