package files

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/sys"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

const chmodOptions = "c,changes f,silent,quiet no-preserve-root preserve-root reference= R,recursive v,verbose"

// changer is one run of chmod.
type changer struct {
	env                                *tool.Env
	apply                              func(uint32) uint32
	recursive, quiet, verbose, changes bool
	status                             int
}

func chmod(env *tool.Env, args []string) int {
	args, minus := minusModes(args)
	opts, status := env.Options(args, chmodOptions)
	if opts == nil {
		return status
	}
	names, mode := opts.Operands, minus
	c := &changer{env: env, recursive: opts.Has("R"), quiet: opts.Has("f"), verbose: opts.Has("v"), changes: opts.Has("c")}
	if i := slices.IndexFunc(opts.Options, named("reference")); i >= 0 {
		ref := opts.Options[i].Arg
		fi, err := env.Stat(ref)
		if err != nil {
			env.Errorf("failed to get attributes of %s: %s", tool.QuoteAlways(ref), tool.Strerror(err))
			return 1
		}
		mode = strconv.FormatUint(uint64(sys.Of(fi).Mode&0o7777), 8)
	}
	if mode == "" {
		if len(names) == 0 {
			return env.UsageError("missing operand")
		}
		mode, names = names[0], names[1:]
	}
	if len(names) == 0 {
		return env.UsageError("missing operand after %s", env.Quote(mode))
	}
	apply, ok := sys.ParseMode(mode, env.Umask())
	if !ok {
		return env.UsageError("invalid mode: %s", env.Quote(mode))
	}
	c.apply = apply
	for _, name := range names {
		c.change(name, true)
	}
	return c.status
}

// minusModes takes out modes such as -x and -w,go-r, which look like options.
func minusModes(args []string) (rest []string, mode string) {
	for i, a := range args {
		if a == "--" {
			return append(rest, args[i:]...), mode
		}
		if i > 0 && len(a) > 1 && a[0] == '-' && strings.Trim(a[1:], "rwxXstugoa,+-=01234567") == "" {
			mode += "," + a
			continue
		}
		rest = append(rest, a)
	}
	return rest, strings.TrimPrefix(mode, ",")
}

func (c *changer) change(name string, operand bool) {
	fi, err := c.env.Stat(name)
	if !operand {
		fi, err = c.env.Lstat(name)
	}
	if err != nil {
		c.missing(name, err)
		return
	}
	info := sys.Of(fi)
	if info.IsLink() {
		return
	}
	mode := c.apply(info.Mode) & 0o7777
	if err := c.env.Chmod(name, mode); err != nil {
		if !c.quiet {
			c.env.Errorf("changing permissions of %s: %s", tool.QuoteAlways(name), tool.Strerror(err))
		}
		c.status = 1
		return
	}
	c.tell(name, info.Mode&0o7777, mode)
	if !c.recursive || !info.IsDir() {
		return
	}
	entries, err := c.env.ReadDir(name)
	if err != nil {
		c.env.Errorf("cannot read directory %s: %s", tool.QuoteAlways(name), tool.Strerror(err))
		c.status = 1
	}
	for _, e := range entries {
		c.change(join(name, e.Name()), false)
	}
}

func (c *changer) missing(name string, err error) {
	c.status = 1
	if c.quiet {
		return
	}
	if fi, e := c.env.Lstat(name); e == nil && fi.Mode()&os.ModeSymlink != 0 {
		c.env.Errorf("cannot operate on dangling symlink %s", tool.QuoteAlways(name))
		return
	}
	c.env.Errorf("cannot access %s: %s", tool.QuoteAlways(name), tool.Strerror(err))
	if c.verbose {
		fmt.Fprintf(c.env.Out, "failed to change mode of %s from 0000 (---------) to 0000 (---------)\n", tool.QuoteAlways(name))
	}
}

func (c *changer) tell(name string, from, to uint32) {
	show := func(m uint32) string { return fmt.Sprintf("%04o (%s)", m, sys.Info{Mode: m}.ModeString()[1:]) }
	switch {
	case from != to && (c.verbose || c.changes):
		fmt.Fprintf(c.env.Out, "mode of %s changed from %s to %s\n", tool.QuoteAlways(name), show(from), show(to))
	case from == to && c.verbose:
		fmt.Fprintf(c.env.Out, "mode of %s retained as %s\n", tool.QuoteAlways(name), show(to))
	}
}
