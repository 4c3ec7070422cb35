//go:build linux || darwin

package protect

import (
	"context"
	"errors"
	"path"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// A scan is what a walk through a root found. Paths are below the root, which is ".".
type scan struct {
	dirs   map[string]*dir
	leaves map[string]*leaf
	unseen map[string]string // what was not looked at, with all below, and why
}

func newScan() *scan {
	return &scan{dirs: map[string]*dir{}, leaves: map[string]*leaf{}, unseen: map[string]string{}}
}

// hides reports whether a path is, or is below, one that was not looked at.
func (s *scan) hides(name string) bool {
	if len(s.unseen) == 0 {
		return false
	}
	for ; ; name = path.Dir(name) {
		if _, ok := s.unseen[name]; ok {
			return true
		}
		if name == "." {
			return false
		}
	}
}

// A dir is a directory that was listed.
type dir struct {
	info
	recent bool  // it may have changed again, with the same times
	asked  *role // by its name
	role   *role // by what is in it
	git    bool  // git takes it for a git directory
	subs   []job
	files  []found
	full   bool // it has more than is in subs and files
	extras int  // see root.extras
}

// A job is a directory to look at.
type job struct {
	path   string
	role   *role
	anchor string // see leaf
	depth  int
	bulky  bool
	narrow bool // only what configuration leads to is looked at
}

// A found is the path of a protected file.
type found struct {
	path   string
	kind   kind
	anchor string
}

// A walker looks at a root.
type walker struct {
	*root
	was      *scan
	now      *scan
	limits   Limits
	start    time.Time
	newDirs  int  // how many more may be looked at
	newFiles int  // the same
	repair   bool // give directories back the modes that they had
	changes  []Change
}

// walk looks at what is below r, and at what was there before first.
func (w *walker) walk(ctx context.Context) error {
	w.now = newScan()
	role := rootRole(w.path)
	if w.home {
		role = home
	}
	known, fresh, late := []job{{path: ".", role: role}}, []job(nil), []job(nil)
	for looked := 0; ; looked++ {
		if looked%64 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		var j job
		switch {
		case len(known) > 0:
			j, known = known[0], known[1:]
		case len(fresh) > 0:
			j, fresh = fresh[0], fresh[1:]
		case len(late) > 0:
			j, late = late[0], late[1:]
		default:
			return nil
		}
		d := w.look(j)
		if d == nil {
			continue
		}
		w.now.dirs[j.path] = d
		for _, f := range d.files {
			w.find(f)
		}
		for _, sub := range d.subs {
			switch {
			case w.was.dirs[sub.path] != nil:
				known = append(known, sub)
			case sub.depth > w.limits.Depth:
				w.now.unseen[sub.path] = "it lies too deep"
			case j.bulky || sub.bulky:
				sub.bulky = true
				late = append(late, sub)
			default:
				fresh = append(fresh, sub)
			}
		}
	}
}

// look looks at a directory, and lists it if that is needed. It returns nil if there is none.
func (w *walker) look(j job) *dir {
	was := w.was.dirs[j.path]
	now, err := stat(w.fd, j.path)
	switch {
	case err != nil && gone(err) || err == nil && !now.dir():
		return nil
	case err != nil:
		w.now.unseen[j.path] = err.Error()
		return nil
	case now.dev != w.id.dev:
		w.now.unseen[j.path] = "another file system is mounted there"
		return nil
	}
	if w.repair && was != nil && now.perm() != was.perm() && (j.role.below != plain || was.perm()&^now.perm()&0o500 != 0) {
		w.giveMode(j.path, was.perm(), &now)
	}
	if was != nil && was.asked == j.role && was.extras == w.extrasAt && !was.recent && was.sameDir(now) && !was.full {
		return was
	}
	if was == nil {
		switch {
		case w.newDirs <= 0:
			w.now.unseen[j.path] = "there are too many directories"
			return nil
		case time.Since(w.start) > w.limits.Time:
			w.now.unseen[j.path] = "it takes too long"
			return nil
		}
		w.newDirs--
	}
	d, err := w.list(j)
	if err == unix.EACCES && w.repair && was == nil && !w.was.hides(j.path) {
		// Nobody could see what is in it, until a later command makes it readable again.
		w.giveMode(j.path, now.perm()|0o700, &now)
		d, err = w.list(j)
	}
	switch {
	case err != nil && gone(err):
		return nil
	case err != nil:
		w.now.unseen[j.path] = err.Error()
		return nil
	case d.full:
		w.now.unseen[j.path] = "it has too many entries"
	}
	return d
}

// giveMode gives a directory a mode.
func (w *walker) giveMode(name string, mode uint32, now *info) {
	c := Change{Path: w.full(name), Kind: Mode}
	err := w.in(path.Dir(name), func(dir int) error { return chmod(dir, path.Base(name), mode) })
	if err != nil {
		c.Err = err
	} else if i, err := stat(w.fd, name); err == nil {
		*now = i
	}
	w.changes = append(w.changes, c)
}

// list lists a directory.
func (w *walker) list(j job) (*dir, error) {
	fd, err := w.open(w.fd, j.path, unix.O_RDONLY|unix.O_DIRECTORY)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	d := &dir{asked: j.role, role: j.role, extras: w.extrasAt}
	if d.info, err = stat(fd, ""); err != nil {
		return nil, err
	}
	d.recent = d.info.recent(time.Now())
	signs := map[string]bool{}
	if err := w.entries(fd, j, d, signs); err != nil {
		return nil, err
	}
	d.git = looksGit(func(name string) bool { return signs[name] })
	if !d.git || j.role != plain && j.role != home && j.role != gitDirs {
		return d, nil
	}
	d.role, j.role, j.anchor = bare, bare, j.path
	if d.asked == gitDirs {
		d.role, j.role = gitDir, gitDir
	}
	if _, err := unix.Seek(fd, 0, 0); err != nil {
		return nil, err
	}
	d.subs, d.files = nil, nil
	return d, w.entries(fd, j, d, signs)
}

// entries fills d with what is protected in a directory.
func (w *walker) entries(fd int, j job, d *dir, signs map[string]bool) error {
	prefix := j.path + "/"
	if j.path == "." {
		prefix = ""
	}
	return list(fd, func(name string, kind uint32) bool {
		switch name {
		case "HEAD", "objects", "refs", "commondir":
			signs[name] = true
		}
		if len(d.subs)+len(d.files) > w.limits.Dirs+w.limits.Files {
			d.full = true
			return false
		}
		full := prefix + name
		if w.except[full] {
			return true
		}
		anchor := j.anchor
		if j.role.below == plain && anchor == "" {
			anchor = j.path
		}
		file, isFile := j.role.file(name)
		named, isDir := j.role.dirs[name]
		extra, isExtra := w.extras[full]
		isExtra = isExtra && !isFile && !isDir
		if kind == unix.S_IFDIR && (isDir || !isFile || j.role.all) {
			sub := job{path: full, role: j.role.dir(name), anchor: anchor, depth: j.depth + 1}
			switch {
			case w.homes[full]:
				sub.role = home
			case isExtra && extra == hook:
				sub.role = hooks
			case isExtra && extra == settings:
				sub.role = settingsTree
			}
			switch {
			case sub.role == nil:
				return true
			case sub.role == gitDir:
				sub.anchor = full
			case sub.role.below == plain:
				if sub.narrow = j.narrow || skipped[name]; sub.narrow && !w.leadsInto(full) {
					return true
				}
				sub.anchor = ""
				sub.bulky = bulky[name]
			}
			d.subs = append(d.subs, sub)
			return true
		}
		if isExtra {
			file, isFile = extra, true
		}
		if !isFile && isDir && named != nil { // something else in place of a directory
			file, isFile = settings, true
			if named.git {
				file = hook
			}
		}
		if isFile && (isExtra || !j.narrow) {
			d.files = append(d.files, found{full, file, anchor})
		}
		return true
	})
}

// leadsInto reports whether configuration or a link leads to what is below a directory.
func (w *walker) leadsInto(name string) bool {
	for extra := range w.extras {
		if within(extra, name) {
			return true
		}
	}
	return false
}

// find notes a protected file.
func (w *walker) find(f found) {
	if w.was.leaves[f.path] == nil {
		if w.newFiles <= 0 {
			w.now.unseen[f.path] = "there are too many protected files"
			return
		}
		w.newFiles--
	}
	i, err := stat(w.fd, f.path)
	switch {
	case err == nil:
		w.now.leaves[f.path] = &leaf{info: i, kind: f.kind, anchor: f.anchor, recent: i.recent(time.Now())}
	case !gone(err):
		w.now.unseen[f.path] = err.Error()
	}
}

// in calls do with a descriptor of a directory, which is good for names in it only.
func (r *root) in(name string, do func(dir int) error) error {
	fd, err := r.open(r.fd, name, searchOnly|unix.O_DIRECTORY)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return do(fd)
}

// writable calls do as in does. A directory of ours that may not be written is made writable for
// that time.
func (r *root) writable(name string, do func(dir int) error) error {
	return r.in(name, func(dir int) error {
		err := do(dir)
		if !errors.Is(err, unix.EACCES) {
			return err
		}
		i, serr := stat(dir, "")
		if serr != nil || i.perm()&0o300 == 0o300 {
			return err
		}
		if cerr := chmod(dir, ".", i.perm()|0o700); cerr != nil {
			return err
		}
		err = do(dir)
		return errors.Join(err, chmod(dir, ".", i.perm()))
	})
}

// full is the path of what is below r.
func (r *root) full(name string) string {
	if name == "." {
		return r.path
	}
	return strings.TrimSuffix(r.path, "/") + "/" + name
}
