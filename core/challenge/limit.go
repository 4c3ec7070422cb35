package challenge

import (
	"strconv"
	"unicode/utf8"
)

// maxShown is how much of the terminal the agent is shown at once, in bytes.
const maxShown = 10_000

// limit leaves out the middle of what is longer than maxShown and says how much
// that was, in bytes. Characters stay whole.
func limit(s string) string {
	if len(s) <= maxShown {
		return s
	}
	head, tail := maxShown/2, len(s)-maxShown/2
	for head > 0 && !utf8.RuneStart(s[head]) {
		head--
	}
	for tail < len(s) && !utf8.RuneStart(s[tail]) {
		tail++
	}
	return s[:head] + "\n[... output limited to " + strconv.Itoa(maxShown) + " bytes; " + strconv.Itoa(tail-head) +
		" interior bytes omitted ...]\n" + s[tail:]
}
