package files

import (
	"errors"
	"os"
	"path"
	"strings"
	"syscall"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/sys"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

func mkdir(env *tool.Env, args []string) int {
	opts, status := env.Options(args, "m,mode= p,parents v,verbose Z context?")
	if opts == nil {
		return status
	}
	if len(opts.Operands) == 0 {
		return env.UsageError("missing operand")
	}
	m := maker{env: env, parents: opts.Has("p"), verbose: opts.Has("v")}
	for _, o := range opts.Options {
		if o.Name != "m" {
			continue
		}
		apply, ok := sys.ParseMode(o.Arg, env.Umask())
		if !ok {
			env.Errorf("invalid mode %s", env.Quote(o.Arg))
			return 1
		}
		m.mode = apply
	}
	for _, name := range opts.Operands {
		if !m.make(name) {
			status = 1
		}
	}
	return status
}

// maker makes directories.
type maker struct {
	env              *tool.Env
	parents, verbose bool
	mode             func(uint32) uint32 // of the last directory; nil is the usual one
}

func (m maker) make(name string) bool {
	if m.parents && !m.ancestors(name) {
		return false
	}
	err := m.env.Mkdir(name, 0o777)
	if err != nil && m.parents {
		if fi, e := m.env.Stat(name); e == nil && fi.IsDir() {
			return true
		}
	}
	return m.made(name, err, true)
}

// ancestors makes the directories that lead to name.
func (m maker) ancestors(name string) bool {
	for i, c := range name {
		if c != '/' || i == 0 || name[i-1] == '/' || strings.Trim(name[i:], "/") == "" {
			continue
		}
		dir := name[:i]
		if fi, err := m.env.Stat(dir); err == nil {
			if !fi.IsDir() {
				return m.made(dir, syscall.ENOTDIR, false)
			}
			continue
		}
		err := m.env.Mkdir(dir, 0o777)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if !m.made(dir, err, false) {
			return false
		}
	}
	return true
}

// made reports a new directory, or why there is none.
func (m maker) made(name string, err error, last bool) bool {
	if err == nil && last && m.mode != nil {
		err = m.env.Chmod(name, m.mode(sys.Dir|0o777)&0o7777)
	}
	if err != nil {
		m.env.Errorf("cannot create directory %s: %s", m.env.Quote(name), tool.Strerror(err))
		return false
	}
	if m.verbose {
		m.env.Out.WriteString(m.env.Name + ": created directory " + tool.QuoteAlways(name) + "\n")
	}
	return true
}

func rmdir(env *tool.Env, args []string) int {
	opts, status := env.Options(args, "ignore-fail-on-non-empty p,parents v,verbose")
	if opts == nil {
		return status
	}
	if len(opts.Operands) == 0 {
		return env.UsageError("missing operand")
	}
	for _, name := range opts.Operands {
		what := "failed to remove"
		for dir := name; ; {
			if opts.Has("v") {
				env.Out.WriteString(env.Name + ": removing directory, " + tool.QuoteAlways(dir) + "\n")
			}
			err := removeDir(env, dir)
			if err != nil && (!opts.Has("ignore-fail-on-non-empty") || !errors.Is(err, syscall.ENOTEMPTY)) {
				env.Errorf("%s %s: %s", what, tool.QuoteAlways(dir), tool.Strerror(err))
				status = 1
			}
			if err != nil || !opts.Has("p") {
				break
			}
			what = "failed to remove directory"
			dir = path.Dir(strings.TrimRight(dir, "/"))
			if dir == "." || dir == "/" {
				break
			}
		}
	}
	return status
}

// removeDir removes an empty directory, and nothing else.
func removeDir(env *tool.Env, dir string) error {
	fi, err := env.Lstat(dir)
	if err != nil {
		return err
	}
	if !fi.IsDir() {
		return syscall.ENOTDIR
	}
	return env.Remove(dir)
}
