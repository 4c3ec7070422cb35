package place

import (
	"strings"
	"testing"
)

// What Go says of a signal, a panic and an error of its own becomes a clause. What only looks like
// that does not.
func TestDump(t *testing.T) {
	const registers = "\nPC=0x4797a1 m=0 sigcode=0\n\ngoroutine 0 gp=0xcb9f00 m=0 mp=0xcbaa40 [idle]:\nruntime.futex(...)\n\nrax    0xca\ngs     0x0"
	const stack = "\n\ngoroutine 1 [running]:\nmain.main()\n\t/src/main.go:5 +0x2c\nexit status 2"
	for in, want := range map[string]string{
		"":                             "",
		"SIGABRT: abort" + registers:   `was killed ("SIGABRT: abort")`,
		"SIGQUIT: quit\nPC=0x1 m=0":    `was killed ("SIGQUIT: quit")`,
		"banner\npanic: no" + stack:    `has crashed ("panic: no")`,
		"panic: a\n\tpanic: b" + stack: `has crashed ("panic: b")`,
		"panic: c\n\ngoroutine 7 gp=0xcb9f00 m=0 mp=0xcbaa40 [chan receive, 2 minutes, locked to thread]:": `has crashed ("panic: c")`,
		"panic: a" + stack + "\npanic: b": `has crashed ("panic: a")`,
		"fatal error: all goroutines are asleep - deadlock!\n\ngoroutine 1 [chan receive]:": `has crashed ("fatal error: all goroutines are asleep - deadlock!")`,
		"fatal error: stack overflow\n\nruntime stack:":                                     `has crashed ("fatal error: stack overflow")`,
		"panic: no" + stack + "\nterrarium: it goes on":                                     "",
		"panic: do not": "",
		// What stands in the words does not end them.
		"panic: no)\"" + stack:                             `has crashed ("panic: no)\"")`,
		"SIG: x" + registers:                               "",
		"SIGabrt: x" + registers:                           "",
		"SIGABRT: abort, and more" + registers:             "",
		"SIGKILL: out of memory: it is killed" + registers: "",
		"SIGTERM: termination" + registers:                 "",
		"goroutine 1 [running]:":                           "",
		"panic: no\n\ngoroutine x]:":                       "",
		"panic: no\n\ngoroutine x [running]:":              "",
		"panic: no\n\ngoroutine 1 is [running]:":           "",
		"panic: no\n\ngoroutine  [running]:":               "",
	} {
		var d dump
		for line := range strings.Lines(in) {
			d.line(strings.TrimSpace(line))
		}
		if got := d.words(); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}
