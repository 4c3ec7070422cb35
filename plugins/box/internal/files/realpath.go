package files

import (
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// How many parts of a path must exist.
type existence int

const (
	allButLast existence = iota // readlink -f, realpath
	all                         // -e
	none                        // -m
)

// maxLinks is how many symbolic links a path may lead through, as on Linux.
const maxLinks = 40

// canonical resolves a name to an absolute path without symbolic links.
func canonical(env *tool.Env, name string, must existence) (string, error) {
	if name == "" {
		return "", syscall.ENOENT
	}
	rest := strings.Split(env.Path(name), "/")
	done, links := "/", 0
	for len(rest) > 0 {
		part := rest[0]
		rest = rest[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			done = path.Dir(done)
			continue
		}
		next := path.Join(done, part)
		fi, err := os.Lstat(next)
		last := strings.Join(rest, "") == ""
		switch {
		case err != nil && (must == none || must == allButLast && last && os.IsNotExist(err)):
			done = next
			continue
		case err != nil:
			return "", err
		case fi.Mode()&os.ModeSymlink == 0:
			if len(rest) > 0 && !fi.IsDir() && must != none {
				return "", syscall.ENOTDIR
			}
			done = next
			continue
		}
		if links++; links > maxLinks {
			return "", syscall.ELOOP
		}
		target, err := os.Readlink(next)
		if err != nil {
			return "", err
		}
		if path.IsAbs(target) {
			done = "/"
		}
		rest = append(strings.Split(target, "/"), rest...)
	}
	return done, nil
}

// resolveMissing is canonical with everything allowed to be missing.
func resolveMissing(env *tool.Env, name string) string {
	p, err := canonical(env, name, none)
	if err != nil {
		return path.Clean(env.Path(name))
	}
	return p
}

func realpath(env *tool.Env, args []string) int {
	opts, status := env.Options(args, "e,canonicalize-existing m,canonicalize-missing L,logical P,physical q,quiet relative-to= relative-base= "+
		"s,strip,no-symlinks z,zero")
	if opts == nil {
		return status
	}
	if len(opts.Operands) == 0 {
		return env.UsageError("missing operand")
	}
	must, strip, end, to, base := allButLast, false, "\n", "", ""
	for _, o := range opts.Options {
		switch o.Name {
		case "e":
			must = all
		case "m":
			must = none
		case "s":
			strip = true
		case "z":
			end = "\x00"
		case "relative-to":
			to = o.Arg
		case "relative-base":
			base = o.Arg
		}
	}
	resolve := func(name string) (string, error) {
		if !strip {
			return canonical(env, name, must)
		}
		clean := path.Clean(env.Path(name))
		if _, err := os.Lstat(clean); err != nil && must == all {
			return "", err
		}
		return clean, nil
	}
	for _, dir := range []*string{&to, &base} {
		if *dir == "" {
			continue
		}
		p, err := resolve(*dir)
		if err != nil {
			env.FileError(*dir, err)
			return 1
		}
		*dir = p
	}
	if base != "" && to == "" {
		to = base
	}
	for _, name := range opts.Operands {
		p, err := resolve(name)
		if err != nil {
			if !opts.Has("q") {
				env.FileError(name, err)
			}
			status = 1
			continue
		}
		if to != "" && (base == "" || below(p, base) && below(to, base)) {
			p, _ = filepath.Rel(to, p)
		}
		env.Out.WriteString(p + end)
	}
	return status
}

// below reports whether p is dir or in it.
func below(p, dir string) bool {
	return p == dir || strings.HasPrefix(p, strings.TrimSuffix(dir, "/")+"/")
}

func readlink(env *tool.Env, args []string) int {
	opts, status := env.Options(args, "f,canonicalize e,canonicalize-existing m,canonicalize-missing n,no-newline q,quiet s,silent v,verbose z,zero")
	if opts == nil {
		return status
	}
	names := opts.Operands
	if len(names) == 0 {
		return env.UsageError("missing operand")
	}
	read := func(name string) (string, error) { return os.Readlink(env.Path(name)) }
	end, verbose := "\n", env.Getenv("POSIXLY_CORRECT") != ""
	for _, o := range opts.Options {
		switch o.Name {
		case "f", "e", "m":
			must := map[string]existence{"f": allButLast, "e": all, "m": none}[o.Name]
			read = func(name string) (string, error) { return canonical(env, name, must) }
		case "v":
			verbose = true
		case "q", "s":
			verbose = false
		case "z":
			end = "\x00"
		}
	}
	if opts.Has("n") {
		if len(names) > 1 {
			env.Errorf("ignoring --no-newline with multiple arguments")
		} else {
			end = ""
		}
	}
	for _, name := range names {
		p, err := read(name)
		if err != nil {
			if verbose {
				env.FileError(name, err)
			}
			status = 1
			continue
		}
		env.Out.WriteString(p + end)
	}
	return status
}
