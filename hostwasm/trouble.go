package hostwasm

import (
	"context"
	"errors"
	"strings"
	"unicode"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
)

// tell writes to standard error why the guest trapped, as a shell tells of a
// process that dumped core. It waits for a reader like any other output.
func (g *guest) tell() {
	var trap *engine.Trap
	if g.stderr == nil || !errors.As(g.err, &trap) {
		return
	}
	var b strings.Builder
	b.WriteString("terrarium: " + printable(g.name) + ": ")
	if g.exit.Reason == core.ReasonMemory { // which is why, whatever its functions are
		b.WriteString("out of memory: it wanted more than its limit lets it have\n")
	} else {
		b.WriteString("trap: " + printable(trap.Reason) + "\n")
		for _, f := range trap.Stack {
			b.WriteString("\tat " + printable(f) + "\n")
		}
	}
	// A reader who does not read must not keep alive what is to be killed.
	defer context.AfterFunc(g.ctx, func() { g.stderr.Close() })()
	g.stderr.Write([]byte(b.String())) // an error means that nobody reads any longer
}

// maxName is how much of a name is shown, in bytes.
const maxName = 256

// printable makes of a name that a module has chosen one that does nothing to
// the terminal it is shown on, and that is not too long for it.
func printable(name string) string {
	rest := ""
	if len(name) > maxName {
		name, rest = strings.ToValidUTF8(name[:maxName], ""), "…"
	}
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, name) + rest
}
