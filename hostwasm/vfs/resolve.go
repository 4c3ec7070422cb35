package vfs

import (
	"path"
	"strings"
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
)

// A following is when an operation follows a link in the last component.
type following uint8

const (
	never   following = iota
	asked             // if Path.Follow or a slash behind the name says so
	noSlash           // if Path.Follow says so and there is no slash
)

// at resolves p and calls op with the place.
//
// A file system fails with ELOOP if there is a link on the way. So names
// without ".." are tried whole first, at the cost of one call instead of one
// per component, and walked only then. op must return ELOOP before it changes
// anything.
func (t *Tree) at(p Path, f following, op func(place) error) error {
	var w walker
	if err := t.begin(&w, p); err != nil {
		return err
	}
	if p.Steps != nil {
		defer func() { *p.Steps += 1 + w.steps }()
	}
	if at, ok := w.direct(); ok {
		if err := op(at); err != errno.LOOP || p.noLinks {
			return err
		}
	}
	at, err := w.walk(f)
	if err != nil {
		return err
	}
	return op(at)
}

// A walker resolves one path.
type walker struct {
	tree    *Tree
	wait    Wait
	follow  bool
	beneath string // what must not be left; "" is nothing
	at      string // what is resolved: absolute, clean, without links
	rest    string // what is not
	end     end    // what the component before rest was
	links   int
	steps   int
}

// begin checks p and readies w to walk it.
func (t *Tree) begin(w *walker, p Path) error {
	switch {
	case p.Name == "":
		return errno.NOENT
	case len(p.Name) > maxPath:
		return errno.NAMETOOLONG
	case strings.IndexByte(p.Name, 0) >= 0:
		return errno.INVAL
	case !utf8.ValidString(p.Name):
		return errno.ILSEQ
	}
	absolute := p.Name[0] == '/'
	if (p.Beneath || !absolute) && !path.IsAbs(p.Dir) {
		return errno.INVAL
	}
	*w = walker{tree: t, wait: p.Wait, follow: p.Follow, at: p.Dir, rest: p.Name}
	if p.Beneath {
		w.beneath = p.Dir
	}
	if absolute {
		return w.restart()
	}
	return nil
}

// restart goes back to the root, as an absolute path begins.
func (w *walker) restart() error {
	if w.beneath != "" {
		return errno.PERM
	}
	w.at, w.end = "/", root
	return nil
}

// direct finds the place without looking for links, if the name has nothing
// that depends on them.
func (w *walker) direct() (at place, ok bool) {
	name := strings.TrimRight(w.rest, "/")
	if w.end == root {
		name = strings.TrimLeft(name, "/")
	}
	if !plain(name) {
		return place{}, false
	}
	p := join(w.at, name)
	if len(p) > maxPath {
		return place{}, false
	}
	at = w.tree.place(p, w.wait)
	at.slash = strings.HasSuffix(w.rest, "/")
	return at, true
}

// plain says that a name is one or more components, all of them named.
func plain(name string) bool {
	for from := 0; ; {
		size := strings.IndexByte(name[from:], '/')
		last := size < 0
		if last {
			size = len(name) - from
		}
		if size > maxName {
			return false
		}
		switch name[from : from+size] {
		case "", ".", "..":
			return false
		}
		if last {
			return true
		}
		from += size + 1
	}
}

// walk resolves component by component, as the kernel would.
func (w *walker) walk(f following) (place, error) {
	for {
		name := w.next()
		slash := w.rest != "" && strings.TrimLeft(w.rest, "/") == ""
		switch name {
		case "":
			at := w.tree.place(w.at, w.wait)
			at.end = w.end
			return at, nil
		case ".":
			w.end = dot
		case "..":
			if w.at == w.beneath {
				return place{}, errno.PERM
			}
			w.at, w.end = path.Dir(w.at), dotdot
		default:
			last := slash || w.rest == ""
			at, err := w.named(name)
			at.slash = slash
			if err != nil || last && !w.follows(f, slash) {
				return at, err
			}
			if done, err := w.enter(at, last); done || err != nil {
				return at, err
			}
		}
		if w.steps++; w.steps > maxSteps {
			return place{}, errno.LOOP
		}
	}
}

func (w *walker) follows(f following, slash bool) bool {
	switch f {
	case asked:
		return w.follow || slash
	case noSlash:
		return w.follow && !slash
	}
	return false
}

// next takes a component off what is left; "" is none.
func (w *walker) next() string {
	w.rest = strings.TrimLeft(w.rest, "/")
	size := strings.IndexByte(w.rest, '/')
	if size < 0 {
		size = len(w.rest)
	}
	name := w.rest[:size]
	w.rest = w.rest[size:]
	return name
}

// named is the place of a component in the directory that was reached.
func (w *walker) named(name string) (place, error) {
	p := join(w.at, name)
	if len(name) > maxName || len(p) > maxPath {
		return place{}, errno.NAMETOOLONG
	}
	return w.tree.place(p, w.wait), nil
}

// enter goes on into a directory, or to where a link leads. done says that the
// last component is what was asked for: neither a link, nor in need of being a
// directory.
func (w *walker) enter(at place, last bool) (done bool, err error) {
	typ := Directory
	if at.node == nil {
		s, err := at.lstat()
		if err == errno.NOENT && last {
			return true, nil
		}
		if err != nil {
			return false, err
		}
		typ = s.Type
	}
	switch {
	case typ == SymbolicLink:
		return false, w.link(at)
	case last && (typ == Directory || !at.slash):
		return true, nil
	case typ != Directory:
		return false, errno.NOTDIR
	}
	w.at, w.end = at.path, named
	return false, nil
}

// link puts the target of a link before what is left.
func (w *walker) link(at place) error {
	if w.links++; w.links > maxLinks {
		return errno.LOOP
	}
	target, err := at.fs().Readlink(at.name)
	switch {
	case err != nil:
		return err
	case target == "":
		return errno.NOENT
	case len(target)+len(w.rest) > maxPath:
		return errno.NAMETOOLONG
	}
	w.rest = target + w.rest
	if target[0] == '/' {
		return w.restart()
	}
	return nil
}

// join adds a name to an absolute path.
func join(dir, name string) string {
	if dir == "/" {
		return dir + name
	}
	return dir + "/" + name
}
