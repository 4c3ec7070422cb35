package files

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/sys"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

const mvOptions = "backup? b f,force i,interactive n,no-clobber strip-trailing-slashes S,suffix= t,target-directory= T,no-target-directory " +
	"u,update v,verbose Z,context"

func mv(env *tool.Env, args []string) int {
	opts, status := env.Options(args, mvOptions)
	if opts == nil {
		return status
	}
	c := &copier{
		asker: asker{env: env}, moving: true, recursive: true, follow: 'P', links: true, mode: true, times: true, owner: true,
	}
	if (opts.Has("b") || opts.Has("backup") || opts.Has("S")) && opts.Has("n") {
		return env.UsageError("options --backup and --no-clobber are mutually exclusive")
	}
	var t target
	for _, o := range opts.Options {
		switch o.Name {
		case "backup":
			c.backup.option("b", o.Arg)
		case "f":
			c.interactive, c.noClober = false, false
		case "t":
			t.dir = o.Arg
		case "T":
			t.noDir = true
		default:
			c.option(o.Name, o.Arg)
		}
	}
	sources, dest, status := t.resolve(env, opts.Operands)
	if sources == nil {
		return status
	}
	for _, source := range sources {
		if opts.Has("strip-trailing-slashes") {
			source = strings.TrimRight(source, "/")
		}
		c.move(source, dest(source))
	}
	return c.status
}

// move renames a file or, to another file system, copies and removes it.
func (c *copier) move(from, to string) bool {
	fi, err := c.env.Lstat(from)
	if err != nil {
		return c.fail("cannot stat", from, err)
	}
	info := sys.Of(fi)
	if up, err := c.env.Lstat(to); err == nil && sys.Same(info, sys.Of(up)) && info.IsDir() {
		return c.errorf("%s and %s are the same file", tool.QuoteAlways(from), tool.QuoteAlways(to))
	}
	kept, state, ok := c.clear(from, to, info, true)
	if !ok || state == skip {
		return ok
	}
	if info.IsDir() && inside(c.env, from, to) {
		return c.errorf("cannot move %s to a subdirectory of itself, %s", tool.QuoteAlways(from), tool.QuoteAlways(to))
	}
	if state == nothing && !info.IsDir() && strings.HasSuffix(to, "/") {
		return c.errorf("cannot move %s to %s: %s", tool.QuoteAlways(from), tool.QuoteAlways(to), tool.Strerror(syscall.ENOTDIR))
	}
	// os.Rename has words of its own for a directory in the way.
	err = syscall.Rename(c.env.Path(from), c.env.Path(to))
	if errors.Is(err, syscall.EXDEV) {
		return c.copy(from, to, true) && c.removeMoved(from)
	}
	if errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, syscall.EEXIST) {
		return c.errorf("cannot move %s to %s: %s", tool.QuoteAlways(from), tool.QuoteAlways(to), tool.Strerror(syscall.ENOTEMPTY))
	}
	if err != nil {
		return c.errorf("cannot move %s to %s: %s", tool.QuoteAlways(from), tool.QuoteAlways(to), tool.Strerror(err))
	}
	if c.made == nil {
		c.made = map[string]bool{}
	}
	c.made[c.env.Path(to)] = true
	if c.verbose {
		line := "renamed " + tool.QuoteAlways(from) + " -> " + tool.QuoteAlways(to)
		if kept != "" {
			line += " (backup: " + tool.QuoteAlways(kept) + ")"
		}
		c.env.Out.WriteString(line + "\n")
	}
	return true
}

// removeMoved removes what was copied to another file system.
func (c *copier) removeMoved(from string) bool {
	err := os.RemoveAll(c.env.Path(from))
	if err == nil {
		return true
	}
	var where *fs.PathError
	if errors.As(err, &where) { // it names what is inside
		from += strings.TrimPrefix(where.Path, c.env.Path(from))
	}
	return c.errorf("cannot remove %s: %s", tool.QuoteAlways(from), tool.Strerror(err))
}

func baseOf(name string) string {
	name = strings.TrimRight(name, "/")
	return name[strings.LastIndexByte(name, '/')+1:]
}
