package place

import "strings"

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
	return isSignal(line) || strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ")
}

func isSignal(line string) bool {
	name, _, found := strings.Cut(line, ": ")
	name, is := strings.CutPrefix(name, "SIG")
	return found && is && name != "" && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == ""
}

// isDumpBody reports whether a line is one that stands in each dump, behind its head.
func isDumpBody(line string) bool {
	return strings.HasPrefix(line, "PC=0x") || line == "runtime stack:" ||
		strings.HasPrefix(line, "goroutine ") && strings.HasSuffix(line, "]:")
}

// words say in a clause what has become of who has ended so, or "".
func (d *dump) words() string {
	switch {
	case !d.found:
		return ""
	case isSignal(d.head):
		return "was killed" + inBrackets(d.head)
	}
	return "has crashed" + inBrackets(d.head)
}
