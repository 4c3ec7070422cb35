package files

import (
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/sys"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

const lnOptions = "backup? b d,F,directory f,force i,interactive L,logical n,no-dereference P,physical r,relative s,symbolic S,suffix= " +
	"t,target-directory= T,no-target-directory v,verbose"

// linker is one run of ln.
type linker struct {
	asker
	backup
	symbolic, force, relative, verbose bool
	interactive, logical               bool
	status                             int
}

func ln(env *tool.Env, args []string) int {
	opts, status := env.Options(args, lnOptions)
	if opts == nil {
		return status
	}
	l := &linker{
		asker: asker{env: env}, symbolic: opts.Has("s"), force: opts.Has("f"), relative: opts.Has("r"), verbose: opts.Has("v"),
		interactive: opts.Has("i"), logical: opts.Has("L"),
	}
	var t target
	for _, o := range opts.Options {
		switch o.Name {
		case "backup":
			l.backup.option("b", o.Arg)
		case "b", "S":
			l.backup.option(o.Name, o.Arg)
		case "t":
			t.dir = o.Arg
		case "T":
			t.noDir = true
		}
	}
	names := opts.Operands
	if l.relative && !l.symbolic {
		env.Errorf("cannot do --relative without --symbolic")
		return 1
	}
	if len(names) == 1 && t.dir == "" && !t.noDir {
		t.dir = "."
	}
	if opts.Has("n") && len(names) == 2 {
		if fi, err := env.Lstat(names[1]); err == nil && fi.Mode()&os.ModeSymlink != 0 {
			t.noDir = true
		}
	}
	if len(names) == 2 && !t.noDir && t.dir == "" && mustBeDir(env, names[1]) != nil && !strings.HasSuffix(names[1], "/") {
		t.noDir = true
	}
	sources, dest, status := t.resolve(env, names)
	if sources == nil {
		return status
	}
	for _, source := range sources {
		to := dest(source)
		if t.dir == "." {
			to = "./" + baseOf(source)
		}
		if !l.link(source, to) {
			l.status = 1
		}
	}
	return l.status
}

func (l *linker) link(source, to string) bool {
	if !l.symbolic {
		fi, err := l.env.Lstat(source)
		if err != nil {
			l.env.Errorf("failed to access %s: %s", tool.QuoteAlways(source), tool.Strerror(err))
			return false
		}
		if fi.IsDir() {
			l.env.Errorf("%s: hard link not allowed for directory", tool.QuoteName(source))
			return false
		}
	}
	kept := ""
	if fi, err := l.env.Lstat(to); err == nil {
		if fi.IsDir() && (l.force || l.interactive || l.backup.on) {
			l.env.Errorf("%s: cannot overwrite directory", tool.QuoteName(to))
			return false
		}
		if old, err := l.env.Lstat(source); err == nil && l.force && sys.Same(sys.Of(old), sys.Of(fi)) && (!l.symbolic || source == to) {
			l.env.Errorf("%s and %s are the same file", tool.QuoteAlways(source), tool.QuoteAlways(to))
			return false
		}
		if l.interactive && !l.yes("replace %s? ", tool.QuoteAlways(to)) {
			return true
		}
		if kept, err = l.keep(l.env, to); err == nil && kept == "" && (l.force || l.interactive) {
			l.env.Remove(to)
		}
	}
	target := source
	if l.relative {
		target = l.relativeTo(source, to)
	}
	if err := l.make(target, to); err != nil {
		l.complain(source, to, err)
		return false
	}
	if l.verbose {
		arrow := " => "
		if l.symbolic {
			arrow = " -> "
		}
		if kept != "" {
			l.env.Out.WriteString(tool.QuoteAlways(kept) + " ~ ")
		}
		l.env.Out.WriteString(tool.QuoteAlways(to) + arrow + tool.QuoteAlways(target) + "\n")
	}
	return true
}

func (l *linker) make(target, to string) error {
	if l.symbolic {
		if target == "" {
			return syscall.ENOENT
		}
		return os.Symlink(target, l.env.Path(to))
	}
	from := l.env.Path(target)
	if l.logical {
		if real, err := filepath.EvalSymlinks(from); err == nil {
			from = real
		}
	}
	return os.Link(from, l.env.Path(to))
}

func (l *linker) complain(source, to string, err error) {
	msg := tool.Strerror(err)
	switch {
	case l.symbolic && msg != "File exists" && !strings.HasSuffix(to, "/") && source == "":
		l.env.Errorf("failed to create symbolic link %s -> '': %s", tool.QuoteAlways(to), msg)
	case l.symbolic:
		l.env.Errorf("failed to create symbolic link %s: %s", tool.QuoteAlways(to), msg)
	case msg == "File exists":
		l.env.Errorf("failed to create hard link %s: %s", tool.QuoteAlways(to), msg)
	default:
		l.env.Errorf("failed to create hard link %s => %s: %s", tool.QuoteAlways(to), tool.QuoteAlways(source), msg)
	}
}

// relativeTo returns source as seen from the directory that to is in.
func (l *linker) relativeTo(source, to string) string {
	dir := resolveMissing(l.env, path.Dir(to))
	rel, err := filepath.Rel(dir, resolveMissing(l.env, source))
	if err != nil {
		return source
	}
	return rel
}

func link(env *tool.Env, args []string) int {
	opts, status := env.Options(args, "")
	if opts == nil {
		return status
	}
	switch names := opts.Operands; {
	case len(names) == 0:
		return env.UsageError("missing operand")
	case len(names) == 1:
		return env.UsageError("missing operand after %s", env.Quote(names[0]))
	case len(names) > 2:
		return env.UsageError("extra operand %s", env.Quote(names[2]))
	}
	from, to := opts.Operands[0], opts.Operands[1]
	if err := os.Link(env.Path(from), env.Path(to)); err != nil {
		env.Errorf("cannot create link %s to %s: %s", tool.QuoteAlways(to), tool.QuoteAlways(from), tool.Strerror(err))
		return 1
	}
	return 0
}
