package ripgrep

import (
	"io/fs"
	"path"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/regex"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// A run is one rg at work.
type run struct {
	*config
	env      *tool.Env
	re       *regex.Regexp
	names    []string // of the groups
	searched bool     // at least one file
	matched  bool
	failed   bool
	printed  bool   // a separator may have to follow
	room     []byte // that files are read into
	implied  bool   // the user named no path, and sees none before names
}

// maxDepth bounds how deep a tree is walked, whatever it is made of.
const maxDepth = 1000

func rg(env *tool.Env, args []string) int {
	c, paths, status := parse(env, args)
	if c == nil {
		return status
	}
	r := &run{config: c, env: env, room: make([]byte, blockSize)}
	if !c.files {
		re, err := c.compile()
		if err != nil {
			env.Warn(err.Error())
			return 2
		}
		if re != nil {
			r.re, r.names = re, re.GroupNames()
		}
	}
	if len(paths) == 0 {
		paths = []string{"."}
		r.implied = true
		if env.HasInput() && !c.files {
			paths, r.implied = []string{"-"}, false
		}
	}
	if c.withName == nil {
		several := len(paths) > 1 || c.vimgrep || !r.single(paths[0])
		c.withName = &several
	}
	for _, p := range paths {
		if r.over() {
			break
		}
		r.operand(p)
	}
	if r.implied && !r.searched && !c.files {
		env.Warn("No files were searched, which means ripgrep probably applied a filter you didn't expect.\n" +
			"Running with --debug will show why files are being skipped.")
		r.failed = true
	}
	switch {
	case r.matched && (c.quiet || !r.failed):
		return 0
	case r.failed:
		return 2
	}
	return 1
}

// over reports whether the answer is known, or nobody waits for it.
func (r *run) over() bool { return r.quiet && r.matched || r.env.Stopped() }

// single reports whether a path is one input, whose name need not be shown.
func (r *run) single(name string) bool {
	if name == "-" {
		return true
	}
	fi, err := r.env.Stat(name)
	return err == nil && !fi.IsDir()
}

func (r *run) operand(name string) {
	if name == "-" {
		r.search("-", "<stdin>", true)
		return
	}
	fi, err := r.env.Stat(name)
	if err != nil {
		r.fail(name, err)
		return
	}
	if !fi.IsDir() {
		r.file(name, true)
		return
	}
	r.walk(r.above(name), name, 1)
}

// above reads the rules of all directories above one, which hold in it too.
func (r *run) above(name string) *level {
	if r.noIgnore {
		return nil
	}
	full := path.Clean(r.env.Path(name))
	var l *level
	parent := "/"
	for i := 1; i < len(full); i++ {
		if full[i] == '/' {
			if !r.noParent {
				l = r.enter(r.env, l, path.Base(parent), parent)
			}
			parent = full[:i]
		}
	}
	if full != "/" && !r.noParent {
		l = r.enter(r.env, l, path.Base(parent), parent)
	}
	return l
}

// walk searches all below a directory.
func (r *run) walk(above *level, dir string, depth int) {
	if r.depth >= 0 && depth > r.depth {
		return
	}
	entries, err := r.env.ReadDir(dir)
	if err != nil {
		r.fail(dir, err)
		return
	}
	l := above
	if !r.noIgnore {
		base := path.Base(path.Clean(r.env.Path(dir)))
		l = r.enter(r.env, above, base, dir)
	}
	for _, e := range entries {
		if r.over() {
			return
		}
		name := e.Name()
		full := strings.TrimSuffix(dir, "/") + "/" + name
		if r.implied {
			full = strings.TrimPrefix(full, "./")
		}
		mode := e.Type()
		if mode&fs.ModeSymlink != 0 {
			if !r.follow {
				continue
			}
			fi, err := r.env.Stat(full)
			if err != nil {
				r.fail(full, err)
				continue
			}
			mode = fi.Mode()
		}
		switch {
		case r.skip(l, full, name, mode.IsDir()):
		case mode.IsDir() && depth < maxDepth:
			r.walk(l, full, depth+1)
		case mode.IsRegular():
			r.file(full, false)
		}
	}
}

// file searches a file, or names it if no more is asked for.
func (r *run) file(name string, explicit bool) {
	if !r.files {
		r.search(name, name, explicit)
		return
	}
	r.searched, r.matched = true, true
	if !r.quiet {
		r.writeName(name)
	}
}

func (r *run) fail(name string, err error) {
	r.failed = true
	if !r.silent {
		r.env.Warn(name + ": " + systemMessage(err))
	}
}
