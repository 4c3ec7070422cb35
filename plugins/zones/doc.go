// Package zones has the time zones of commands in the sandbox, which has no
// /usr/share/zoneinfo. A build for it holds Go's own table, packed by cmd/dev
// to a seventh of its size; without the table, names of zones are unknown.
// There a program that imports the package has the zone that TZ asks for as
// time.Local: Go takes the sandbox's time for UTC. Outside, the system's zones
// are used.
package zones

import (
	"fmt"
	"time"
)

// Load returns the zone that a value of TZ asks for: one of the table, by a
// name such as Europe/Paris, or rules as POSIX writes them (IEEE 1003.1-2024,
// 8.3), such as CET-1CEST,M3.5.0,M10.5.0/3. What is neither is UTC by the name
// that the value begins with, as glibc has it. It is safe for concurrent use.
func Load(value string) *time.Location {
	if value == "" {
		return time.UTC
	}
	if loc, err := named(value); err == nil {
		return loc
	}
	return fromRules(value)
}

// errUnknown returns the error for what is no name of the table's.
func errUnknown(name string) error { return fmt.Errorf("unknown time zone %q", name) }
