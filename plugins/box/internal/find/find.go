package find

import (
	"io"
	"os"
	"strings"
	"time"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/clock"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/sys"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// maxDepth bounds how deep find goes, whatever links lead where.
const maxDepth = 4096

// finder is one run of find.
type finder struct {
	env      *tool.Env
	now      time.Time
	follow   byte // 'P', 'L' or 'H'
	min, max int
	depth    bool // directories come after what is in them
	xdev     bool
	daystart bool
	expr     node
	acts     bool // whether the expression does more than decide
	batches  []*execution
	outputs  map[string]io.WriteCloser
	quit     bool
	status   int
}

// A visit is one file that find looks at.
type visit struct {
	path  string // as find shows it
	root  string // the starting point
	depth int
	info  sys.Info
	prune bool
}

func find(env *tool.Env, args []string) int {
	for _, a := range args[1:] {
		if a == "--help" || a == "-help" {
			env.Help()
			return 0
		}
		if a == "--version" || a == "-version" {
			env.Version()
			return 0
		}
	}
	f := &finder{env: env, now: time.Now().In(clock.Zone(env)), follow: 'P', max: maxDepth, outputs: map[string]io.WriteCloser{}}
	rest := f.leading(args[1:])
	n := 0
	for n < len(rest) && !startsExpression(rest[n]) {
		n++
	}
	roots := rest[:n]
	if len(roots) == 0 {
		roots = []string{"."}
	}
	p := &parser{f: f, args: rest[n:]}
	expr, err := p.parse()
	if err != nil {
		env.Errorf("%v", err)
		return 1
	}
	f.expr = expr
	if !f.acts {
		f.expr = and{expr, printer{end: "\n"}}
	}
	for _, root := range roots {
		if f.quit || env.Stopped() {
			break
		}
		f.walk(&visit{path: root, root: root})
	}
	for _, b := range f.batches {
		b.flush(f)
	}
	for _, w := range f.outputs {
		w.Close()
	}
	return f.status
}

// leading takes the options that come before the starting points.
func (f *finder) leading(args []string) []string {
	for len(args) > 0 {
		switch a := args[0]; {
		case a == "-P" || a == "-L" || a == "-H":
			f.follow = a[1]
		case a == "-D" && len(args) > 1:
			args = args[1:]
		case strings.HasPrefix(a, "-O") && len(a) > 2:
		case a == "--":
			return args[1:]
		default:
			return args
		}
		args = args[1:]
	}
	return args
}

func startsExpression(a string) bool {
	return len(a) > 1 && a[0] == '-' || a == "(" || a == ")" || a == "!" || a == ","
}

// look describes a file as -P, -H or -L say.
func (f *finder) look(v *visit) error {
	fi, err := f.env.Lstat(v.path)
	if err != nil {
		return err
	}
	if fi.Mode()&os.ModeSymlink != 0 && (f.follow == 'L' || f.follow == 'H' && v.depth == 0) {
		if to, err := f.env.Stat(v.path); err == nil {
			fi = to
		}
	}
	v.info = sys.Of(fi)
	return nil
}

func (f *finder) fail(name string, err error) {
	f.env.Errorf("%s: %s", f.env.Quote(name), tool.Strerror(err))
	f.status = 1
}

func (f *finder) walk(v *visit) {
	if err := f.look(v); err != nil {
		f.fail(v.path, err)
		return
	}
	if !f.depth && v.depth >= f.min {
		f.expr.eval(f, v)
	}
	if v.info.IsDir() && !v.prune && v.depth < f.max && !f.quit {
		f.walkDir(v)
	}
	if f.depth && v.depth >= f.min && !f.quit {
		f.expr.eval(f, v)
	}
}

func (f *finder) walkDir(v *visit) {
	entries, err := f.env.ReadDir(v.path)
	if err != nil && !os.IsNotExist(err) {
		f.fail(v.path, err)
	}
	for _, e := range entries {
		if f.quit || f.env.Stopped() {
			return
		}
		sep := "/"
		if strings.HasSuffix(v.path, "/") {
			sep = ""
		}
		f.walk(&visit{path: v.path + sep + e.Name(), root: v.root, depth: v.depth + 1})
	}
}

// base is the last part of a visit's path.
func (v *visit) base() string {
	p := strings.TrimRight(v.path, "/")
	if p == "" {
		return "/"
	}
	return p[strings.LastIndexByte(p, '/')+1:]
}

// dir is what leads to base.
func (v *visit) dir() string {
	i := strings.LastIndexByte(strings.TrimRight(v.path, "/"), '/')
	switch {
	case i < 0:
		return "."
	case i == 0:
		return "/"
	}
	return v.path[:i]
}
