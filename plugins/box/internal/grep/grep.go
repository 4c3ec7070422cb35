package grep

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/regex"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/scan"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// A run is one grep at work.
type run struct {
	*config
	env     *tool.Env
	re      *regex.Regexp // nil: nothing matches
	matched bool          // a line was selected somewhere
	failed  bool          // something went wrong
	done    bool          // the answer is known
	printed bool          // output was written that a separator may have to follow
	room    []byte        // that files are read into
}

func grep(env *tool.Env, args []string, matcher byte) int {
	c, files, status := parse(env, args, matcher)
	if c == nil {
		return status
	}
	g := &run{config: c, env: env, room: make([]byte, blockSize)}
	if err := g.compile(); err != nil {
		g.complain(err)
		return 2
	}
	if c.maxCount == 0 && !c.invert {
		return 1
	}
	recurse := c.directories == "recurse"
	implied := len(files) == 0
	if implied {
		files = []string{"-"}
		if recurse {
			files = []string{"."}
		}
	}
	if c.names == namesAuto {
		c.names = namesNever
		if len(files) > 1 || recurse && g.isDir(files[0]) {
			c.names = namesAlways
		}
	}
	for _, name := range files {
		if g.done || env.Stopped() {
			break
		}
		g.operand(name, implied)
	}
	switch {
	case g.failed && !(g.quiet && g.matched):
		return 2
	case g.matched:
		return 0
	}
	return 1
}

var errOnePattern = errors.New("the -P option only supports a single pattern")

// compile joins all patterns into one.
func (g *run) compile() error {
	if len(g.patterns) == 0 {
		return nil
	}
	if g.matcher == 'P' && len(g.patterns) > 1 {
		return errOnePattern
	}
	re, err := regex.CompileAll(g.patterns, g.regexOptions())
	if err != nil {
		return err
	}
	for _, w := range re.Warnings {
		g.env.Errorf("warning: %s", w)
	}
	g.re = re
	return nil
}

func (g *run) regexOptions() regex.Options {
	return regex.Options{
		Extended: g.matcher == 'E', Literal: g.matcher == 'F', Perl: g.matcher == 'P', IgnoreCase: g.ignoreCase, Lenient: true,
		WholeLine: g.lines, WholeWord: g.words,
	}
}

// complain says what is wrong with each of the patterns that did not compile.
func (g *run) complain(err error) {
	if len(g.patterns) < 2 || err == errOnePattern {
		g.env.Errorf("%v", err)
		return
	}
	for _, p := range g.patterns {
		if _, err := regex.CompileAll([]string{p}, g.regexOptions()); err != nil {
			g.env.Errorf("%v", err)
		}
	}
}

func (g *run) isDir(name string) bool {
	fi, err := g.env.Stat(name)
	return err == nil && fi.IsDir()
}

// operand searches one operand: a file, standard input, or a folder with all below it.
func (g *run) operand(name string, implied bool) {
	if name == "-" {
		g.file("-", g.label)
		return
	}
	fi, err := g.env.Stat(name)
	if err != nil {
		g.fail(name, err)
		return
	}
	if !fi.IsDir() {
		if !g.filters.skipFile(name) {
			g.file(name, name)
		}
		return
	}
	switch g.directories {
	case "recurse":
		if !g.filters.skipDir(strings.TrimRight(name, "/")) || name == "." {
			g.walk(name, implied)
		}
	case "read":
		g.file(name, name)
	}
}

// walk searches all below a folder. implied says that the user named none, and so sees no "./".
func (g *run) walk(dir string, implied bool) {
	entries, err := g.env.ReadDir(dir)
	if err != nil {
		g.fail(dir, err)
		return
	}
	for _, e := range entries {
		if g.done || g.env.Stopped() {
			return
		}
		name := e.Name()
		if !implied {
			name = strings.TrimSuffix(dir, "/") + "/" + name
		}
		mode := e.Type()
		if mode&fs.ModeSymlink != 0 {
			if !g.dereference {
				continue
			}
			fi, err := g.env.Stat(name)
			if err != nil {
				g.fail(name, err)
				continue
			}
			mode = fi.Mode()
		}
		switch {
		case mode.IsDir():
			if !g.filters.skipDir(e.Name()) {
				g.walk(name, false)
			}
		case mode.IsRegular():
			if !g.filters.skipFile(e.Name()) {
				g.file(name, name)
			}
		}
	}
}

func (g *run) fail(name string, err error) {
	g.failed = true
	if !g.silent {
		g.env.Errorf("%s: %s", name, tool.Strerror(err))
	}
}

// prints reports whether the lines themselves are printed, so that a file that is the output too
// would never end.
func (g *run) prints() bool {
	return !g.quiet && !g.count && g.list == listNone && g.maxCount != 1
}

// readsOutput reports whether a file is where the lines go that are found in it.
func (g *run) readsOutput(name string) bool {
	if name == "-" || !g.prints() {
		return false
	}
	info, err := g.env.StatInput(name)
	return err == nil && g.env.IsOutput(info)
}

// file searches one file, shown as label.
func (g *run) file(name, label string) {
	r, err := g.env.Input(name)
	if err != nil {
		g.fail(label, err)
		return
	}
	defer r.Close()
	if g.readsOutput(name) {
		g.failed = true
		if !g.silent {
			g.env.Errorf("%s: input file is also the output", label)
		}
		return
	}
	s := &search{run: g, label: label, left: g.maxCount}
	s.Scan = scan.Scan{Regexp: g.re, Delim: g.delim, Every: g.invert, Number: g.number, Before: g.before}
	err = s.Run(r, g.room, s)
	if err != nil && !errors.Is(err, regex.ErrTooComplex) || errors.Is(err, syscall.EISDIR) {
		g.fail(label, err)
	} else if err != nil {
		g.failed = true
		g.env.Errorf("%s: %v", label, err)
	}
	s.finish()
}
