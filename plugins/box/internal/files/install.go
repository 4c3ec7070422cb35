package files

import (
	"path"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/sys"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

const installOptions = "backup? b C,compare c D d,directory g,group= m,mode= o,owner= p,preserve-timestamps s,strip strip-program= S,suffix= " +
	"t,target-directory= T,no-target-directory v,verbose preserve-context Z,context?"

func install(env *tool.Env, args []string) int {
	opts, status := env.Options(args, installOptions)
	if opts == nil {
		return status
	}
	c := &copier{asker: asker{env: env}, follow: 'L', remove: true}
	var t target
	mode := uint32(0o755)
	for _, o := range opts.Options {
		switch o.Name {
		case "backup":
			c.backup.option("b", o.Arg)
		case "b", "S":
			c.backup.option(o.Name, o.Arg)
		case "m":
			apply, ok := sys.ParseMode(o.Arg, 0)
			if !ok {
				env.Errorf("invalid mode %s", env.Quote(o.Arg))
				return 1
			}
			mode = apply(0) & 0o7777
		case "p":
			c.times = true
		case "t":
			t.dir = o.Arg
		case "T":
			t.noDir = true
		case "v":
			c.verbose = true
		}
	}
	if opts.Has("d") {
		return installDirs(env, opts.Operands, mode, c.verbose)
	}
	if opts.Has("D") {
		dir := t.dir
		if n := len(opts.Operands); dir == "" && n == 2 {
			dir = path.Dir(opts.Operands[1])
		}
		if dir != "" && !(maker{env: env, parents: true, verbose: c.verbose}).make(dir) {
			return 1
		}
	}
	sources, dest, status := t.resolve(env, opts.Operands)
	if sources == nil {
		return status
	}
	for _, source := range sources {
		to := dest(source)
		if fi, err := env.Stat(source); err == nil && fi.IsDir() {
			c.errorf("omitting directory %s", tool.QuoteAlways(source))
			continue
		}
		if c.copy(source, to, true) {
			env.Chmod(to, mode)
		}
	}
	return c.status
}

func installDirs(env *tool.Env, names []string, mode uint32, verbose bool) int {
	status := 0
	if len(names) == 0 {
		return env.UsageError("missing file operand")
	}
	m := maker{env: env, parents: true, verbose: verbose, mode: func(uint32) uint32 { return mode }}
	for _, name := range names {
		if !m.make(name) {
			status = 1
		}
	}
	return status
}
