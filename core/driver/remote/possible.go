package remote

import (
	"slices"
	"strings"

	"github.com/terrarium-dev/terrarium/core"
)

// What the far side says of a command is shown and decided on, so it is what a Host can say.

// reasons are those that a Host can end a command for.
var reasons = []core.Reason{
	core.ReasonNone, core.ReasonTimeout, core.ReasonLost, core.ReasonTrap, core.ReasonCPU, core.ReasonIdle,
	core.ReasonMemory, core.ReasonStack, core.ReasonFuel, core.ReasonOutput, core.ReasonOpenFiles,
	core.ReasonDisk, core.ReasonProcesses,
}

// possible reports whether a command can end so.
func (e *exit) possible() bool {
	s := e.Status
	return (s.Signal == "" || isSignal(s.Signal)) && s.ExitCode <= 0xff &&
		(s.Signal == "" || s.ExitCode == 0) && !(s.Unknown && (s.Signal != "" || s.ExitCode != 0)) &&
		slices.Contains(reasons, e.Reason) &&
		e.Usage.UserTime >= 0 && e.Usage.SystemTime >= 0 && e.Usage.MaxRSS >= 0
}

// isSignal reports whether name looks as those of POSIX do, SIGRTMIN+1 and SIG34 included: which
// signals there are, the far side's system says.
func isSignal(name string) bool {
	rest, ok := strings.CutPrefix(name, "SIG")
	return ok && rest != "" && len(rest) <= 16 && strings.Trim(rest, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-") == ""
}

// possible reports whether a command can be found so.
func (f *found) possible() bool {
	return f.Path != "" && len(f.Argv) > 0 && slices.Contains([]core.Via{core.ViaArgs, core.ViaFile, core.ViaShell}, f.Via) &&
		len(f.Sandbox) <= maxText && len(f.Terms) <= core.MaxBounds*maxText
}

// isOf reports whether it is c that was found. Rules and people judge what was found, so the far
// side must not choose which of them applies: it would be asked for one command, and say that it
// is another.
func (f *found) isOf(c *core.Command) bool {
	if f.Via == core.ViaShell {
		return len(c.Args) == 0 && len(f.Argv) > 1 && f.Argv[len(f.Argv)-1] == c.Command
	}
	return f.Argv[0] == c.Command && slices.Equal(f.Argv[1:], c.Args)
}
