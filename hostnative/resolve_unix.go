//go:build linux || darwin

package hostnative

import (
	"context"
	"os"
	"strings"

	"github.com/terrarium-dev/terrarium/core"
)

// Resolve finds out what c means here. With arguments, c.Command is executed
// literally. Without, it is executed if it names an executable file, spaces
// and all; otherwise it is a line for the shell.
//
// A name without a slash is looked up in the PATH that the command gets to
// see; a relative path, also one in that PATH, starts at c.Cwd. The shell is
// the host's tool: it is looked up in the PATH of Config.Env, and in /bin.
//
// What c.Bounds ask for is in Exec.Terms, if not all commands have it. Start takes it for
// granted: a driver's machine asks before.
//
// The error is a *core.InvalidError about c.Bounds, or a *core.HostError that wraps an
// *fs.PathError, whose Op is "exec", "cwd" or "shell". It is fs.ErrNotExist where that is missing,
// and fs.ErrPermission where it can't be entered or executed.
func (h *Host) Resolve(ctx context.Context, c core.Command) (core.Exec, error) {
	if err := ctx.Err(); err != nil {
		return core.Exec{}, err
	}
	b, err := h.bounds(c.Bounds)
	if err != nil {
		return core.Exec{}, err
	}
	h.keeping.prepare(h.confiner) // to be there when policy has decided
	if c.Cwd == "" {
		dir, err := os.Getwd()
		if err != nil {
			return core.Exec{}, refuse(opCwd, ".", err)
		}
		c.Cwd = dir
	}
	cwd, err := openCwd(c.Cwd)
	if err != nil {
		return core.Exec{}, err
	}
	cwd.close()

	e := core.Exec{Command: c, Host: cwd.id, Terms: strings.Join(b.terms, ", ")}
	if h.sandbox != "" && b.level != SandboxOff {
		e.Sandbox = string(b.level)
	}
	env := h.environs.of(c)
	path, err := lookExecutable(c.Command, c.Cwd, env)
	switch {
	case len(c.Args) > 0 && err != nil:
		return core.Exec{}, err
	case len(c.Args) > 0:
		e.Path, e.Argv, e.Via = path, append([]string{c.Command}, c.Args...), core.ViaArgs
		return e, nil
	case err == nil:
		e.Path, e.Argv, e.Via = path, []string{c.Command}, core.ViaFile
		return e, nil
	}

	shell, path, err := h.lookShell()
	if err != nil {
		return core.Exec{}, err
	}
	e.Path, e.Argv, e.Via = path, []string{shell, "-c", c.Command}, core.ViaShell
	return e, nil
}
