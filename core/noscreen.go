//go:build reactor

package core

import "time"

// hasScreens is false: a screen would be too much to download with the reactor.
// The compiler leaves out what depends on it.
const hasScreens = false

type display struct{}

func newDisplay(*Command) *display                        { return nil }
func (*display) write(*output, []byte) bool               { return false }
func (*display) lines() []byte                            { return nil }
func (*Registry) reply(time.Time, *Terminal)              {}
func (*Registry) reserveScreen(*Terminal, int, int) error { return nil }
func (*Command) screenBytes(rows, cols int) int64         { return 0 }
