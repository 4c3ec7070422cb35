//go:build reactor

package core

import "time"

// pay has nothing to do: who embeds the reactor hands output over itself, and
// so nothing is unread at an exit.
func (*Registry) pay(time.Time, *Terminal, int) {}
