package files

import (
	"cmp"
	"fmt"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/sys"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

const treeOptions = "a d f F h i l L= I= P= n noreport p r s t u U x A C D N Q S X dirsfirst charset= prune du filelimit= gitignore"

// treeRun is one run of tree.
type treeRun struct {
	env                           *tool.Env
	all, dirsOnly, full, classify bool
	human, size, modes, flat      bool
	reverse, byTime, dirsFirst    bool
	follow                        bool
	depth                         int
	ignore, match                 []string
	lines                         [3]string // before an entry, before the last one, below an entry
	dirs, files                   int
}

func tree(env *tool.Env, args []string) int {
	opts, status := env.Options(args, treeOptions)
	if opts == nil {
		return status
	}
	t := &treeRun{env: env, depth: 1 << 30, lines: [3]string{"|-- ", "`-- ", "|   "}}
	if strings.Contains(strings.ToLower(env.Getenv("LC_ALL")+env.Getenv("LANG")+env.Getenv("LC_CTYPE")), "utf") {
		t.lines = [3]string{"├── ", "└── ", "│\u00a0\u00a0 "}
	}
	for _, o := range opts.Options {
		switch o.Name {
		case "a":
			t.all = true
		case "d":
			t.dirsOnly = true
		case "f":
			t.full = true
		case "F":
			t.classify = true
		case "h":
			t.human, t.size = true, true
		case "s":
			t.size = true
		case "p":
			t.modes = true
		case "i":
			t.flat = true
		case "l":
			t.follow = true
		case "r":
			t.reverse = true
		case "t":
			t.byTime = true
		case "dirsfirst":
			t.dirsFirst = true
		case "I":
			t.ignore = append(t.ignore, strings.Split(o.Arg, "|")...)
		case "P":
			t.match = append(t.match, strings.Split(o.Arg, "|")...)
		case "charset":
			t.lines = [3]string{"|-- ", "`-- ", "|   "}
		case "L":
			n, err := strconv.Atoi(o.Arg)
			if err != nil || n < 1 {
				env.Warn("tree: Invalid level, must be greater than 0.")
				return 1
			}
			t.depth = n
		}
	}
	names := opts.Operands
	if len(names) == 0 {
		names = []string{"."}
	}
	for _, name := range names {
		if !t.root(name) {
			status = 2
		}
	}
	if !opts.Has("noreport") {
		t.report()
	}
	return status
}

func (t *treeRun) root(name string) bool {
	fi, err := t.env.Stat(name)
	if err != nil || !fi.IsDir() {
		t.env.Out.WriteString(name + "  [error opening dir]\n")
		return false
	}
	t.env.Out.WriteString(t.details(fi) + name + "\n")
	t.dirs++
	t.walk(name, "", 1)
	return true
}

func (t *treeRun) walk(dir, indent string, depth int) {
	entries := t.entries(dir)
	for i, e := range entries {
		if t.env.Stopped() {
			return
		}
		line, below := t.lines[0], t.lines[2]
		if i == len(entries)-1 {
			line, below = t.lines[1], "    "
		}
		if t.flat {
			line, below = "", ""
		}
		full := join(dir, e.Name())
		shown := e.Name()
		if t.full {
			shown = full
		}
		isDir := e.IsDir()
		info := sys.Of(e)
		if info.IsLink() {
			target, _ := os.Readlink(t.env.Path(full))
			shown += " -> " + target
			if fi, err := t.env.Stat(full); err == nil && fi.IsDir() {
				isDir = true
			}
		} else if t.classify {
			shown += (&lister{classify: 'F'}).indicator(info)
		}
		t.env.Out.WriteString(indent + line + t.details(e) + shown + "\n")
		if isDir {
			t.dirs++
		} else {
			t.files++
		}
		if (e.IsDir() || isDir && t.follow && depth < 100) && depth < t.depth {
			t.walk(full, indent+below, depth+1)
		}
	}
}

// entries lists what tree shows of a directory.
func (t *treeRun) entries(dir string) []os.FileInfo {
	list, err := os.ReadDir(t.env.Path(dir))
	if err != nil {
		return nil
	}
	var out []os.FileInfo
	for _, e := range list {
		fi, err := e.Info()
		if err != nil || !t.all && e.Name()[0] == '.' || t.dirsOnly && !t.directory(dir, fi) || matchAny(t.ignore, e.Name()) ||
			len(t.match) > 0 && !fi.IsDir() && !matchAny(t.match, e.Name()) {
			continue
		}
		out = append(out, fi)
	}
	slices.SortStableFunc(out, func(a, b os.FileInfo) int {
		c := 0
		if t.dirsFirst && a.IsDir() != b.IsDir() {
			if a.IsDir() {
				return -1
			}
			return 1
		}
		if t.byTime {
			c = a.ModTime().Compare(b.ModTime())
		}
		c = cmp.Or(c, cmp.Compare(a.Name(), b.Name()))
		if t.reverse {
			return -c
		}
		return c
	})
	return out
}

func (t *treeRun) directory(dir string, fi os.FileInfo) bool {
	return fi.IsDir() || fi.Mode()&os.ModeSymlink != 0 && isDir(t.env, join(dir, fi.Name()))
}

func matchAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		ok, err := path.Match(strings.TrimSuffix(p, "/"), name)
		return ok && err == nil
	})
}

// details are the columns of -p and -s.
func (t *treeRun) details(fi os.FileInfo) string {
	info := sys.Of(fi)
	var cols []string
	if t.modes {
		cols = append(cols, info.ModeString())
	}
	switch {
	case t.human:
		cols = append(cols, fmt.Sprintf("%4s", sys.Human(info.Size, 1024)))
	case t.size:
		cols = append(cols, fmt.Sprintf("%11d", info.Size))
	}
	if len(cols) == 0 {
		return ""
	}
	return "[" + strings.Join(cols, " ") + "]  "
}

func (t *treeRun) report() {
	plural := func(n int, one, many string) string {
		if n == 1 {
			return "1 " + one
		}
		return strconv.Itoa(n) + " " + many
	}
	text := "\n" + plural(t.dirs, "directory", "directories")
	if !t.dirsOnly {
		text += ", " + plural(t.files, "file", "files")
	}
	t.env.Out.WriteString(text + "\n")
}
