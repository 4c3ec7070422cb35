package files

import (
	"os"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/sys"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

const rmOptions = "d,dir f,force i I interactive? one-file-system no-preserve-root preserve-root? R,r,recursive v,verbose"

// remover is one run of rm.
type remover struct {
	asker
	recursive, dirs, force, verbose bool
	keepRoot                        bool
	prompt                          byte // 'i', 'I' or 0
	status                          int
}

func rm(env *tool.Env, args []string) int {
	opts, status := env.Options(args, rmOptions)
	if opts == nil {
		return status
	}
	r := &remover{asker: asker{env: env}, keepRoot: true}
	for _, o := range opts.Options {
		switch o.Name {
		case "d":
			r.dirs = true
		case "f":
			r.force, r.prompt = true, 0
		case "i", "I":
			r.force, r.prompt = false, o.Name[0]
		case "interactive":
			switch o.Arg {
			case "never", "no", "none":
				r.prompt = 0
			case "once":
				r.force, r.prompt = false, 'I'
			case "", "always", "yes":
				r.force, r.prompt = false, 'i'
			default:
				return env.UsageError("invalid argument %s for %s", env.Quote(o.Arg), env.Quote("--interactive"))
			}
		case "no-preserve-root":
			r.keepRoot = false
		case "R":
			r.recursive = true
		case "v":
			r.verbose = true
		}
	}
	names := opts.Operands
	if len(names) == 0 && !r.force {
		return env.UsageError("missing operand")
	}
	if r.prompt == 'I' {
		r.prompt = 0
		if (r.recursive || len(names) > 3) && !r.once(len(names)) {
			return 0
		}
	}
	for _, name := range names {
		if env.Stopped() {
			break
		}
		r.operand(name)
	}
	return r.status
}

func (r *remover) once(n int) bool {
	word, how := "arguments", ""
	if n == 1 {
		word = "argument"
	}
	if r.recursive {
		how = " recursively"
	}
	return r.yes("remove %d %s%s? ", n, word, how)
}

func (r *remover) operand(name string) {
	trimmed := strings.TrimRight(name, "/")
	if r.recursive && r.keepRoot && trimmed == "" && name != "" {
		r.env.Errorf("it is dangerous to operate recursively on %s", tool.QuoteAlways("/"))
		r.env.Errorf("use --no-preserve-root to override this failsafe")
		r.status = 1
		return
	}
	if last := trimmed[strings.LastIndexByte(trimmed, '/')+1:]; (r.recursive || r.dirs) && (last == "." || last == "..") {
		r.env.Errorf("refusing to remove %s or %s directory: skipping %s", tool.QuoteAlways("."), tool.QuoteAlways(".."), tool.QuoteAlways(name))
		r.status = 1
		return
	}
	r.remove(name)
}

// remove removes a file or, if that was asked for, a tree. It reports whether name is gone.
func (r *remover) remove(name string) bool {
	fi, err := r.env.Lstat(name)
	if err != nil {
		if !r.force || !os.IsNotExist(err) {
			r.fail(name, err)
		}
		return false
	}
	info := sys.Of(fi)
	if !info.IsDir() {
		if r.prompt == 'i' && !r.yes("remove %s %s? ", kindOf(info), tool.QuoteAlways(name)) {
			return false
		}
		return r.unlink(name, false)
	}
	if !r.recursive && !r.dirs {
		r.env.Errorf("cannot remove %s: Is a directory", tool.QuoteAlways(name))
		r.status = 1
		return false
	}
	if r.recursive && !r.empty(name) {
		return false
	}
	if r.prompt == 'i' && !r.yes("remove directory %s? ", tool.QuoteAlways(name)) {
		return false
	}
	return r.unlink(name, true)
}

// empty removes what is in a directory, and reports whether nothing is left.
func (r *remover) empty(dir string) bool {
	entries, err := r.env.ReadDir(dir)
	if err != nil {
		r.fail(dir, err)
		return false
	}
	if len(entries) > 0 && r.prompt == 'i' && !r.yes("descend into directory %s? ", tool.QuoteAlways(dir)) {
		return false
	}
	left := 0
	for _, e := range entries {
		if r.env.Stopped() || !r.remove(join(dir, e.Name())) {
			left++
		}
	}
	return left == 0
}

func (r *remover) unlink(name string, dir bool) bool {
	if err := r.env.Remove(name); err != nil {
		r.fail(name, err)
		return false
	}
	if r.verbose {
		word := "removed "
		if dir {
			word = "removed directory "
		}
		r.env.Out.WriteString(word + tool.QuoteAlways(name) + "\n")
	}
	return true
}

func (r *remover) fail(name string, err error) {
	r.env.Errorf("cannot remove %s: %s", tool.QuoteAlways(name), tool.Strerror(err))
	r.status = 1
}

// kindOf names the type of a file as questions and stat do.
func kindOf(i sys.Info) string {
	switch i.Type() {
	case 'd':
		return "directory"
	case 'l':
		return "symbolic link"
	case 'p':
		return "fifo"
	case 's':
		return "socket"
	case 'b':
		return "block special file"
	case 'c':
		return "character special file"
	}
	if i.Size == 0 {
		return "regular empty file"
	}
	return "regular file"
}

func unlink(env *tool.Env, args []string) int {
	opts, status := env.Options(args, "")
	if opts == nil {
		return status
	}
	switch names := opts.Operands; {
	case len(names) == 0:
		return env.UsageError("missing operand")
	case len(names) > 1:
		return env.UsageError("extra operand %s", env.Quote(names[1]))
	}
	name := opts.Operands[0]
	fi, err := env.Lstat(name)
	if err == nil && fi.IsDir() {
		env.Errorf("cannot unlink %s: Is a directory", tool.QuoteAlways(name))
		return 1
	}
	if err == nil {
		err = env.Remove(name)
	}
	if err != nil {
		env.Errorf("cannot unlink %s: %s", tool.QuoteAlways(name), tool.Strerror(err))
		return 1
	}
	return 0
}
