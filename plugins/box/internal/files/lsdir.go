package files

import (
	"cmp"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/order"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/sys"
)

// A listed file is one line of ls.
type listed struct {
	name   string
	info   sys.Info
	target string   // of a symbolic link
	broken bool     // whether the link leads nowhere
	points sys.Info // what the link leads to, unless broken
}

// operands lists files first, then directories.
func (l *lister) operands(names []string) {
	var files, dirs []listed
	for _, name := range names {
		f, err := l.look(name, name, true)
		if err != nil {
			l.fail(2, "cannot access", name, err)
			continue
		}
		isDir := f.info.IsDir()
		if f.info.IsLink() && !l.broadly() && !f.broken {
			isDir = f.points.IsDir() && l.format != 'l' && l.classify != 'F'
		}
		if isDir && !l.directory {
			dirs = append(dirs, f)
		} else {
			files = append(files, f)
		}
	}
	l.arrange(files)
	l.arrange(dirs)
	l.beside = dirs
	l.write(files)
	l.beside = nil
	headers := len(names) > 1 || l.recursive
	first := len(files) == 0
	for _, d := range dirs {
		if l.env.Stopped() {
			return
		}
		l.list(d.name, headers, &first, true)
	}
}

// broadly reports whether links on the command line are followed.
func (l *lister) broadly() bool { return l.follow || l.followOperands }

// look describes a file; path is its name from the current directory.
func (l *lister) look(name, path string, operand bool) (listed, error) {
	full := l.env.Path(path)
	f := listed{name: name}
	if l.follow || operand && l.followOperands {
		fi, err := os.Stat(full)
		if err != nil {
			return f, err
		}
		f.info = sys.Of(fi)
		return f, nil
	}
	fi, err := os.Lstat(full)
	if err != nil {
		return f, err
	}
	f.info = sys.Of(fi)
	if !f.info.IsLink() {
		return f, nil
	}
	f.target, _ = os.Readlink(full)
	to, err := os.Stat(full)
	if f.broken = err != nil; !f.broken {
		f.points = sys.Of(to)
	}
	return f, nil
}

// list writes a directory, and those in it if that was asked for.
func (l *lister) list(dir string, header bool, first *bool, operand bool) {
	entries, err := os.ReadDir(l.env.Path(dir))
	if err != nil {
		l.fail(map[bool]int{true: 2, false: 1}[operand], "cannot open directory", dir, err)
		return
	}
	if !*first {
		l.env.Out.WriteString("\n")
	}
	*first = false
	if header {
		l.env.Out.WriteString(l.quote(dir) + ":\n")
	}
	var files []listed
	if l.all {
		for _, name := range []string{".", ".."} {
			if f, err := l.look(name, join(dir, name), false); err == nil {
				files = append(files, f)
			}
		}
	}
	for _, e := range entries {
		if l.skips(e.Name()) {
			continue
		}
		f, err := l.look(e.Name(), join(dir, e.Name()), false)
		if err != nil {
			l.fail(1, "cannot access", join(dir, e.Name()), err)
			continue
		}
		files = append(files, f)
	}
	l.arrange(files)
	if l.format == 'l' || l.blocks {
		total := int64(0)
		for _, f := range files {
			total += f.info.Blocks
		}
		l.env.Out.WriteString("total " + l.blockCount(total) + l.end)
	}
	l.write(files)
	if !l.recursive {
		return
	}
	for _, f := range files {
		if f.info.IsDir() && f.name != "." && f.name != ".." && !l.env.Stopped() {
			l.list(join(dir, f.name), true, first, false)
		}
	}
}

// join joins a name to its directory as GNU's tools show it.
func join(dir, name string) string {
	if strings.HasSuffix(dir, "/") {
		return dir + name
	}
	return dir + "/" + name
}

func (l *lister) skips(name string) bool {
	if name[0] == '.' && !l.all && !l.almostAll || l.backups && strings.HasSuffix(name, "~") {
		return true
	}
	matches := func(pattern string) bool {
		ok, err := path.Match(pattern, name)
		return ok && err == nil
	}
	return slices.ContainsFunc(l.ignore, matches) || !l.all && !l.almostAll && slices.ContainsFunc(l.hide, matches)
}

// arrange sorts files.
func (l *lister) arrange(files []listed) {
	if l.sort == 'U' {
		return
	}
	slices.SortStableFunc(files, func(a, b listed) int {
		if l.dirsFirst {
			if d := cmp.Compare(dirRank(a), dirRank(b)); d != 0 {
				return d
			}
		}
		c := 0
		switch l.sort {
		case 'S':
			c = cmp.Compare(b.info.Size, a.info.Size)
		case 't':
			c = l.time(b.info).Compare(l.time(a.info))
		case 'v':
			c = order.CompareVersions(a.name, b.name)
		case 'X':
			c = cmp.Compare(extension(a.name), extension(b.name))
		case 'W':
			c = cmp.Compare(len(a.name), len(b.name))
		}
		c = cmp.Or(c, cmp.Compare(a.name, b.name))
		if l.reverse {
			return -c
		}
		return c
	})
}

func dirRank(f listed) int {
	if f.info.IsDir() || f.info.IsLink() && !f.broken && f.points.IsDir() {
		return 0
	}
	return 1
}

func extension(name string) string {
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		return name[i:]
	}
	return ""
}
