//go:build linux || darwin

package protect

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"path"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// A restoring is one call of Restore.
type restoring struct {
	*Snapshot
	keeping keeping
	failed  map[string]bool // what is not tried again
	changes []Change

	unstable bool // something changes all the time
}

// A diff is a protected file that is not what it was. was or now is nil if there is none.
type diff struct {
	name     string
	was, now *leaf
	kind     Kind
}

// smallConfig is how long a file may be that is read to judge it, even if nothing more is held.
const smallConfig = 256 << 10

var errUnstable = errors.New("it keeps changing")

// round compares once, puts back what differs, and returns how much that was. If it is the last it
// only tells. After the one that finds nothing, or the last, what it has found is the base.
func (run *restoring) round(found []*walker, last bool) int {
	acts := 0
	for _, w := range found {
		run.changes = append(run.changes, w.changes...)
		if why := w.now.unseen["."]; why != "" && w.base.unseen["."] == "" {
			run.changes = append(run.changes, Change{Path: w.path, Kind: Removed, Why: why, Left: true})
		}
		for _, d := range run.compare(w) {
			v := w.judge(d, found)
			switch {
			case v.keep:
				w.accept(d)
				if v.told {
					run.changes = append(run.changes, Change{Path: w.full(d.name), Kind: d.kind, Why: v.why, Left: true})
				}
			case run.failed[w.full(d.name)]:
			case last:
				run.unstable = true
				run.changes = append(run.changes, Change{Path: w.full(d.name), Kind: d.kind, Why: v.why, Err: errUnstable})
			default:
				run.act(w, d, v)
				acts++
			}
		}
	}
	if acts == 0 {
		for _, w := range found {
			w.settle()
		}
	}
	return acts
}

// compare returns what differs: what is to be taken away first, since it may be in the way.
func (run *restoring) compare(w *walker) []diff {
	var diffs []diff
	room := run.limits.Total
	for _, l := range w.base.leaves {
		room -= int64(len(l.data))
	}
	room = max(room, smallConfig)
	for name, was := range w.base.leaves {
		now := w.now.leaves[name]
		switch {
		case now == nil && w.now.hides(name):
		case now == nil:
			diffs = append(diffs, diff{name, was, nil, Removed})
		case was.untouched(now):
			now.adopt(was)
			w.base.leaves[name] = now
		default:
			w.load(name, now, run.limits, room)
			if kind := was.differs(now); kind != "" {
				diffs = append(diffs, diff{name, was, now, kind})
				continue
			}
			now.adopt(was)
			now.touched = true
			w.base.leaves[name] = now
		}
	}
	for name, now := range w.now.leaves {
		if w.base.leaves[name] == nil {
			w.load(name, now, run.limits, room)
			diffs = append(diffs, diff{name, nil, now, Created})
		}
	}
	slices.SortFunc(diffs, func(a, b diff) int {
		if made := cmp.Compare(bit(a.was != nil), bit(b.was != nil)); made != 0 {
			return made
		}
		return cmp.Compare(a.name, b.name)
	})
	return diffs
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// accept takes what a command left for what is to be there.
func (w *walker) accept(d diff) {
	if d.now == nil {
		delete(w.base.leaves, d.name)
		return
	}
	d.now.touched = true
	w.base.leaves[d.name] = d.now
}

// settle makes what was found the base, but for files: those have been compared.
func (w *walker) settle() {
	for name, d := range w.base.dirs {
		if w.now.dirs[name] == nil && w.now.hides(name) {
			w.now.dirs[name] = d
		}
	}
	w.now.leaves = w.base.leaves
	w.base = w.now
}

// judge decides about a file.
func (w *walker) judge(d diff, found []*walker) verdict {
	was, now := d.was, d.now
	switch {
	case now == nil:
		anchor := w.now.dirs[was.anchor]
		if anchor == nil || !anchor.git && w.base.dirs[was.anchor] != nil && w.base.dirs[was.anchor].git {
			return verdict{keep: true, told: true, why: "with " + Printable(w.full(was.anchor))}
		}
		if was.kind == gitFile { // as git submodule deinit does; nothing runs without it
			return verdict{keep: true, told: true}
		}
		return verdict{}
	case was == nil && w.base.hides(d.name):
		return verdict{keep: true}
	case now.dir() && (was == nil || was.dir()):
		return verdict{keep: true}
	case was == nil || was.dir():
		return w.judgeNew(d.name, now, found)
	case now.kind == gitConfig && was.held && now.held && was.info.kind() == unix.S_IFREG && now.nlink == 1:
		if was.sum != now.sum {
			return judgeConfig(was.data, now.data, func(e entry) bool { return submoduleTree(d.name, e) })
		}
	case now.info.kind() == unix.S_IFLNK:
		return verdict{why: "a link to " + Printable(now.link)}
	}
	return verdict{}
}

// judgeNew decides about a file that was not there.
func (w *walker) judgeNew(name string, now *leaf, found []*walker) verdict {
	link := ""
	if now.info.kind() == unix.S_IFLNK {
		link = "a link to " + Printable(now.link)
	}
	switch now.kind {
	case settings:
		if w.base.dirs[now.anchor] == nil {
			return verdict{keep: true, told: true, why: "it came with a new directory"}
		}
	case gitConfig:
		if now.nlink > 1 {
			return verdict{why: "it has another name"}
		}
		if now.held {
			return judgeNewConfig(now.data, func(e entry) bool { return submoduleTree(name, e) })
		}
	case commonFile:
		if path.Base(path.Dir(path.Dir(name))) == "worktrees" && now.text("../..") {
			return verdict{keep: true}
		}
		return verdict{why: "it has git take hooks and configuration from elsewhere"}
	case gitFile:
		if link == "" && w.leads(name, now, found) {
			return verdict{keep: true}
		}
		if link == "" {
			return verdict{why: "it leads to no repository that is looked at"}
		}
	}
	return verdict{why: link}
}

// submoduleTree reports whether a variable of a submodule's configuration says where its files are,
// as git writes it.
func submoduleTree(config string, e entry) bool {
	dir := path.Dir(config)
	return e.name() == "core.worktree" && !e.bare && strings.Contains("/"+dir, "/modules/") && upward(e.value) &&
		!strings.HasPrefix(path.Join(dir, e.value)+"/", "../")
}

// upward reports whether a relative path has ".." at its start only: elsewhere it depends on links.
func upward(name string) bool {
	for strings.HasPrefix(name, "../") {
		name = name[3:]
	}
	return !path.IsAbs(name) && !slices.Contains(strings.Split(name, "/"), "..")
}

// leads reports whether a .git file leads to a git directory that is looked at.
func (w *walker) leads(name string, now *leaf, found []*walker) bool {
	to, ok := strings.CutPrefix(string(now.data), "gitdir: ")
	if !now.held || !ok {
		return false
	}
	to = strings.TrimRight(to, "\r\n")
	switch {
	case path.IsAbs(to) && path.Clean(to) == to:
	case upward(to):
		to = path.Join(w.full(path.Dir(name)), to)
	default:
		return false
	}
	for _, o := range found {
		if within(to, o.path) {
			d := o.now.dirs[o.below(to)]
			return d != nil && (d.role == gitDir || d.role == bare)
		}
	}
	return false
}

// below is the path below r of one that is within it.
func (r *root) below(full string) string {
	if full == r.path {
		return "."
	}
	return strings.TrimPrefix(full, strings.TrimSuffix(r.path, "/")+"/")
}

// act puts a file back, or takes it away.
func (run *restoring) act(w *walker, d diff, v verdict) {
	c := Change{Path: w.full(d.name), Kind: d.kind, Why: v.why}
	var keepErr error
	keep := func(at string) {
		c.Kept, keepErr = run.keeping.file(w.root, d.name, at, run.limits.Total)
	}
	switch {
	case d.was == nil && v.harmless == nil:
		if c.Err = w.take(d.name, keep); c.Err == nil {
			w.removeEmpty(path.Dir(d.name))
		}
	default:
		was := d.was
		if v.harmless != nil {
			was = plainLeaf(d.now, v.harmless)
			w.base.leaves[d.name] = was
		}
		if d.kind != Mode && d.kind != Removed && !d.now.dir() {
			keep(d.name)
		}
		var aside string
		aside, c.Err = w.put(d.name, was, w.base)
		if aside != "" {
			c.Kept = aside
		}
		if errors.Is(c.Err, errNotHeld) { // nor will it ever be
			w.accept(d)
		}
	}
	if keepErr != nil {
		if c.Why != "" {
			c.Why += "; "
		}
		c.Why += "not kept: " + keepErr.Error()
	}
	if c.Err != nil {
		run.failed[c.Path] = true
	}
	run.changes = append(run.changes, c)
}

// removeEmpty removes a directory that was not there before, and those around it, if they are
// empty.
func (w *walker) removeEmpty(name string) {
	for ; name != "." && w.base.dirs[name] == nil && !w.base.hides(name); name = path.Dir(name) {
		remove := func(fd int) error { return unix.Unlinkat(fd, path.Base(name), unix.AT_REMOVEDIR) }
		if w.writable(path.Dir(name), remove) != nil {
			return // it is not empty, most of the time
		}
	}
}

// plainLeaf is a file like l, with other content.
func plainLeaf(l *leaf, data []byte) *leaf {
	p := &leaf{info: l.info, kind: l.kind, anchor: l.anchor, loaded: true, held: true, data: data, sum: sha256.Sum256(data)}
	p.mode = unix.S_IFREG | l.perm()&0o666
	p.size, p.nlink = int64(len(data)), 1
	return p
}
