package files

import (
	"errors"
	"os"
	"path"
	"strconv"
	"strings"
	"syscall"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// A target is where cp, mv, ln and install put things.
type target struct {
	dir   string // with -t, or found: things go into it
	noDir bool   // -T: the last operand is never a directory to put things into
}

// resolve takes the operands apart into sources and where each goes. If it returns nil the command
// is over.
func (t *target) resolve(env *tool.Env, names []string) (sources []string, dest func(string) string, status int) {
	switch {
	case len(names) == 0:
		return nil, nil, env.UsageError("missing file operand")
	case t.dir != "" && t.noDir:
		env.Errorf("cannot combine --target-directory (-t) and --no-target-directory (-T)")
		return nil, nil, 1
	case len(names) == 1 && t.dir == "":
		return nil, nil, env.UsageError("missing destination file operand after %s", tool.QuoteAlways(names[0]))
	case t.noDir && len(names) > 2:
		return nil, nil, env.UsageError("extra operand %s", tool.QuoteAlways(names[2]))
	}
	into := func(dir string) func(string) string {
		return func(source string) string { return join(dir, path.Base(strings.TrimRight(source, "/"))) }
	}
	if t.dir != "" {
		if err := mustBeDir(env, t.dir); err != nil {
			env.Errorf("target directory %s: %s", tool.QuoteAlways(t.dir), tool.Strerror(err))
			return nil, nil, 1
		}
		return names, into(t.dir), 0
	}
	sources, last := names[:len(names)-1], names[len(names)-1]
	if t.noDir {
		return sources, func(string) string { return last }, 0
	}
	err := mustBeDir(env, last)
	if err == nil {
		return sources, into(last), 0
	}
	if len(sources) > 1 || strings.HasSuffix(last, "/") && errors.Is(err, syscall.ENOTDIR) {
		env.Errorf("target %s: %s", tool.QuoteAlways(last), tool.Strerror(err))
		return nil, nil, 1
	}
	return sources, func(string) string { return last }, 0
}

func mustBeDir(env *tool.Env, name string) error {
	fi, err := env.Stat(name)
	if err == nil && !fi.IsDir() {
		return syscall.ENOTDIR
	}
	return err
}

// A backup says how what would be overwritten is kept: with a suffix, or with a number.
type backup struct {
	on, numbered bool
	suffix       string
}

// option applies -b, --backup and -S, and reports whether o was one of them.
func (b *backup) option(name, arg string) bool {
	switch name {
	case "b":
		b.on = true
		b.numbered = arg == "numbered" || arg == "t"
		b.on = arg != "none" && arg != "off"
	case "S":
		b.on, b.suffix = true, arg
	default:
		return false
	}
	return true
}

// keep moves name out of the way and returns its new name, "" if there was nothing to do.
func (b *backup) keep(env *tool.Env, name string) (string, error) {
	if _, err := env.Lstat(name); !b.on || err != nil {
		return "", nil
	}
	suffix := b.suffix
	if suffix == "" {
		suffix = "~"
	}
	to := name + suffix
	for n := 1; b.numbered; n++ {
		to = name + ".~" + strconv.Itoa(n) + "~"
		if _, err := env.Lstat(to); err != nil {
			break
		}
	}
	return to, os.Rename(env.Path(name), env.Path(to))
}
