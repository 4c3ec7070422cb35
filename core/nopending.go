//go:build reactor

package core

import "time"

// Who embeds the reactor hands output over itself, and so nothing is unread at
// an exit: nothing is ever owed.

func (*Registry) pay(time.Time, *Terminal, int) {}
func (*Registry) waive(time.Time, *Terminal)    {}
