package porcelain

import (
	"cmp"
	"os"

	"github.com/terrarium-dev/terrarium/plugins/proc"
)

// The colours of git status.
const (
	green  = "\x1b[32m" // what is staged
	red    = "\x1b[31m" // what is not
	plain  = "\x1b[m"
	always = "always"
)

// paint returns what puts text into a colour, where output has colours as color.status or color.ui say: on a terminal,
// if they say nothing.
func (c *call) paint() func(color, text string) string {
	when := "auto"
	for _, key := range []string{"color.ui", "color.status"} {
		if value, ok := c.repo.Config.Get(key); ok {
			when = cmp.Or(value, when)
		}
	}
	switch when {
	case always:
	case "auto", "true", "yes", "on", "1":
		term := os.Getenv("TERM")
		if _, err := proc.TerminalOf(os.Stdout); err != nil || term == "" || term == "dumb" {
			return uncolored
		}
	default:
		return uncolored
	}
	return func(color, text string) string { return color + text + plain }
}

func uncolored(_, text string) string { return text }
