package place

import (
	"strconv"
	"strings"
)

// A dump finds out why a program of Go has ended that says so with its stacks and registers, as it
// does for a panic or SIGABRT. The zero value is ready. It is for one goroutine at a time.
//
// https://pkg.go.dev/runtime#hdr-Environment_Variables
type dump struct {
	head  string // the last line that may begin one
	found bool   // it does
}

// statusDump is what such a program ends with.
const statusDump = 2

// line takes the next line that the program has said.
func (d *dump) line(line string) {
	switch {
	case strings.HasPrefix(line, ours):
		*d = dump{} // it was of a process below ours, which goes on
	case d.found:
	case isDumpHead(line):
		d.head = line
	case isDumpBody(line):
		d.found = d.head != ""
	}
}

// isDumpHead reports whether a line may say why there is a dump: "SIGABRT: abort", "panic: no".
func isDumpHead(line string) bool {
	return dumpSignals[line] || strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ")
}

// dumpSignals are the lines for the signals that a program of Go dumps for. SIGKILL is none: nobody
// can say a word after it.
//
// https://go.dev/src/runtime/sigtab_linux_generic.go
var dumpSignals = map[string]bool{
	"SIGQUIT: quit":                    true,
	"SIGILL: illegal instruction":      true,
	"SIGTRAP: trace trap":              true,
	"SIGABRT: abort":                   true,
	"SIGBUS: bus error":                true,
	"SIGFPE: floating-point exception": true,
	"SIGSEGV: segmentation violation":  true,
	"SIGSYS: bad system call":          true,
}

// isDumpBody reports whether a line is one that stands in each dump, behind its head.
func isDumpBody(line string) bool {
	return strings.HasPrefix(line, "PC=0x") || line == "runtime stack:" || isGoroutine(line)
}

// isGoroutine reports whether a stack follows: "goroutine 1 [running]:", and with more between
// where the runtime itself has failed: "goroutine 0 gp=0xcb9f00 m=0 mp=0xcbaa40 [idle]:".
func isGoroutine(line string) bool {
	line, is := strings.CutPrefix(line, "goroutine ")
	number, rest, _ := strings.Cut(line, " ")
	return is && isNumber(number) && (strings.HasPrefix(rest, "[") || strings.HasPrefix(rest, "gp=0x")) &&
		strings.HasSuffix(rest, "]:")
}

// words say in a clause what has become of who has ended so, or "". The head stands in quotes,
// which it can't end itself: whoever writes to the same standard error may have written it.
func (d *dump) words() string {
	switch {
	case !d.found:
		return ""
	case dumpSignals[d.head]:
		return "was killed" + inBrackets(strconv.Quote(d.head))
	}
	return "has crashed" + inBrackets(strconv.Quote(d.head))
}
