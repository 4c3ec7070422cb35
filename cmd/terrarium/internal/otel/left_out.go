//go:build nootel

package otel

import (
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/driver/audit"
)

// Built says whether OpenTelemetry is in this build.
const Built = false

// Spans has nothing to send to.
type Spans struct{}

// Open returns nil: this build has no OpenTelemetry.
func Open(func(string) string, string, func(error)) *Spans { return nil }

// Close does nothing.
func (*Spans) Close() {}

// Wrap returns c.
func (*Spans) Wrap(c driver.Config) driver.Config { return c }

// OnEvent does nothing.
func (*Spans) OnEvent(*audit.Event) {}
