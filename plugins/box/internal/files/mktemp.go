package files

import (
	"errors"
	"math/rand/v2"
	"os"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

func mktemp(env *tool.Env, args []string) int {
	opts, status := env.Options(args, "d,directory u,dry-run q,quiet suffix= p= tmpdir? t")
	if opts == nil {
		return status
	}
	dir, inDir, suffix, hasSuffix := "", false, "", false
	names := opts.Operands
	for _, o := range opts.Options {
		switch o.Name {
		case "p", "tmpdir":
			dir, inDir = o.Arg, true
		case "t":
			inDir = true
		case "suffix":
			suffix, hasSuffix = o.Arg, true
		}
	}
	if len(names) > 1 {
		return env.UsageError("too many templates")
	}
	template := "tmp.XXXXXXXXXX"
	if len(names) == 1 {
		template = names[0]
	} else {
		inDir = true
	}
	end := strings.LastIndexByte(template, 'X') + 1
	if hasSuffix && end != len(template) {
		env.Errorf("with --suffix, template %s must end in X", env.Quote(template))
		return 1
	}
	if !hasSuffix {
		suffix, template = template[end:], template[:end]
	}
	if strings.Contains(suffix, "/") {
		env.Errorf("invalid suffix %s, contains directory separator", env.Quote(suffix))
		return 1
	}
	stem := strings.TrimRight(template, "X")
	count := len(template) - len(stem)
	if count < 3 {
		env.Errorf("too few X's in template %s", env.Quote(template+suffix))
		return 1
	}
	if inDir {
		if strings.Contains(stem, "/") && opts.Has("t") {
			env.Errorf("invalid template, %s, contains directory separator", env.Quote(template))
			return 1
		}
		if strings.HasPrefix(stem, "/") {
			env.Errorf("invalid template, %s; with --tmpdir, it may not be absolute", env.Quote(template))
			return 1
		}
		stem = join(tempDir(env, dir), stem)
	}
	name, err := makeTemp(env, stem, suffix, count, opts.Has("d"), opts.Has("u"))
	if err != nil {
		if !opts.Has("q") {
			kind := "file"
			if opts.Has("d") {
				kind = "directory"
			}
			env.Errorf("failed to create %s via template %s: %s", kind, env.Quote(stem+strings.Repeat("X", count)+suffix), tool.Strerror(err))
		}
		return 1
	}
	env.Out.WriteString(name + "\n")
	return 0
}

func tempDir(env *tool.Env, dir string) string {
	for _, d := range []string{dir, env.Getenv("TMPDIR")} {
		if d != "" {
			return d
		}
	}
	return "/tmp"
}

// makeTemp makes a file or directory whose name did not exist.
func makeTemp(env *tool.Env, stem, suffix string, count int, dir, dry bool) (string, error) {
	for range 1000 {
		p := make([]byte, count)
		for i := range p {
			p[i] = letters[rand.IntN(len(letters))]
		}
		name := stem + string(p) + suffix
		var err error
		switch {
		case dry:
			if _, e := env.Lstat(name); e == nil {
				err = os.ErrExist
			}
		case dir:
			err = env.Mkdir(name, 0o700)
		default:
			var f *os.File
			if f, err = env.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600); err == nil {
				err = f.Close()
			}
		}
		if !errors.Is(err, os.ErrExist) {
			return name, err
		}
	}
	return "", os.ErrExist
}
