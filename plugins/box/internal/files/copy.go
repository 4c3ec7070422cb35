package files

import (
	"errors"
	"io"
	"iter"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/sys"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
	modes "github.com/terrarium-dev/terrarium/plugins/fs"
)

func splitSeq(list string) iter.Seq[string] { return strings.SplitSeq(list, ",") }

// copy copies a file or a tree, and reports whether all of it was.
func (c *copier) copy(from, to string, operand bool) bool {
	if c.env.Stopped() {
		return false
	}
	info, err := c.look(from, operand)
	if err != nil {
		return c.fail("cannot stat", from, err)
	}
	if info.IsDir() && !c.recursive && !c.makeSymlink {
		return c.errorf("-r not specified; omitting directory %s", tool.QuoteAlways(from))
	}
	kept, exists, ok := c.clear(from, to, info, operand)
	if !ok {
		return false
	}
	if exists == skip {
		return true
	}
	if c.links && info.Nlink > 1 && !info.IsDir() {
		if first, ok := c.seen[[2]uint64{info.Dev, info.Ino}]; ok {
			c.env.Remove(to)
			if err := os.Link(c.env.Path(first), c.env.Path(to)); err == nil {
				c.done(from, to, kept)
				return true
			}
		}
		if c.seen == nil {
			c.seen = map[[2]uint64]string{}
		}
		c.seen[[2]uint64{info.Dev, info.Ino}] = to
	}
	switch {
	case info.IsDir():
		return c.copyDir(from, to, info, exists == there)
	case c.makeLink:
		if err := os.Link(c.env.Path(from), c.env.Path(to)); err != nil {
			return c.errorf("cannot create hard link %s to %s: %s", tool.QuoteAlways(to), tool.QuoteAlways(from), tool.Strerror(err))
		}
		c.done(from, to, kept)
		return true
	case c.makeSymlink:
		if err := os.Symlink(from, c.env.Path(to)); err != nil {
			return c.errorf("cannot create symbolic link %s to %s: %s", tool.QuoteAlways(to), tool.QuoteAlways(from), tool.Strerror(err))
		}
		c.done(from, to, kept)
		return true
	case info.IsLink():
		return c.copyLink(from, to, info, kept, exists == there)
	}
	return c.copyFile(from, to, info, kept, exists == there)
}

// What clear found where a copy shall go.
type found int

const (
	nothing found = iota
	there
	skip // the copy isn't wanted
)

// clear looks at what is at a copy's destination, and asks, complains or makes way.
func (c *copier) clear(from, to string, info sys.Info, operand bool) (kept string, state found, ok bool) {
	fi, err := c.env.Lstat(to)
	if err != nil {
		return "", nothing, true
	}
	old := sys.Of(fi)
	if target, err := c.env.Stat(to); err == nil && !(c.moving || info.IsLink()) {
		old = sys.Of(target)
	}
	same := sys.Same(info, old)
	switch {
	case same && c.makeLink:
		return "", skip, true
	case same && !(c.remove && old.IsLink()) && !(c.backup.on && c.force && !c.moving):
		return "", there, c.errorf("%s and %s are the same file", tool.QuoteAlways(from), tool.QuoteAlways(to))
	case c.made[c.env.Path(to)] && !info.IsDir():
		return "", there, c.errorf("will not overwrite just-created %s with %s", tool.QuoteAlways(to), tool.QuoteAlways(from))
	case info.IsDir() && !old.IsDir():
		if c.noClober {
			return "", skip, true
		}
		return "", there, c.errorf("cannot overwrite non-directory %s with directory %s", tool.QuoteAlways(to), tool.QuoteAlways(from))
	case info.IsDir():
		return "", there, true
	case c.update && !info.Mtime.After(old.Mtime), c.noClober:
		return "", skip, true
	case old.IsDir():
		return "", there, c.errorf("cannot overwrite directory %s with non-directory", tool.QuoteAlways(to))
	case c.interactive && !c.yes("overwrite %s? ", tool.QuoteAlways(to)):
		return "", skip, true
	}
	if kept, err = c.keep(c.env, to); err != nil {
		return "", there, c.fail("cannot backup", to, err)
	}
	if kept != "" {
		return kept, nothing, true
	}
	if c.remove || (c.makeLink || c.makeSymlink) && c.force {
		if err := c.env.Remove(to); err != nil {
			return "", there, c.fail("cannot remove", to, err)
		}
		return "", nothing, true
	}
	return "", there, true
}

func (c *copier) copyDir(from, to string, info sys.Info, exists bool) bool {
	if slices.ContainsFunc(c.above, func(above sys.Info) bool { return sys.Same(above, info) }) {
		return c.errorf("cannot copy cyclic symbolic link %s", tool.QuoteAlways(from))
	}
	c.above = append(c.above, info)
	defer func() { c.above = c.above[:len(c.above)-1] }()
	self := c.into[[2]uint64{info.Dev, info.Ino}]
	if self && c.made[c.env.Path(from)] {
		return c.intoItself()
	}
	if !exists {
		mode := c.newMode(info) &^ c.env.Umask()
		if err := modes.Mkdir(c.env.Path(to), mode|0o700); err != nil {
			return c.fail("cannot create directory", to, err)
		}
		c.done(from, to, "")
		c.remember(to)
		if mode&0o700 != 0o700 {
			defer c.env.Chmod(to, mode)
		}
	}
	if self {
		return c.intoItself()
	}
	entries, err := c.env.ReadDir(from)
	if err != nil {
		return c.fail("cannot access", from, err)
	}
	ok := true
	for _, e := range entries {
		ok = c.copy(join(from, e.Name()), join(to, e.Name()), false) && ok
	}
	c.attributes(to, info)
	return ok
}

// newMode returns the permissions that a copy begins with, before the umask.
func (c *copier) newMode(info sys.Info) uint32 {
	switch {
	case !c.usualMode:
		return info.Mode & 0o777
	case info.IsDir():
		return 0o777
	}
	return 0o666
}

// intoItself complains of an operand that its own copy is in, once.
func (c *copier) intoItself() bool {
	if c.complained {
		return false
	}
	c.complained = true
	return c.errorf("cannot copy a directory, %s, into itself, %s", tool.QuoteAlways(c.operand[0]), tool.QuoteAlways(c.operand[1]))
}

// inside reports whether to is in the directory from.
func inside(env *tool.Env, from, to string) bool {
	fi, err := env.Stat(from)
	if err != nil {
		return false
	}
	for dir := path.Dir(path.Clean(env.Path(to))); ; dir = path.Dir(dir) {
		if up, err := os.Stat(dir); err == nil && os.SameFile(fi, up) {
			return true
		}
		if dir == "/" || dir == "." {
			return false
		}
	}
}

func (c *copier) copyLink(from, to string, info sys.Info, kept string, exists bool) bool {
	target, err := os.Readlink(c.env.Path(from))
	if err != nil {
		return c.fail("cannot read symbolic link", from, err)
	}
	if exists {
		if err := c.env.Remove(to); err != nil {
			return c.fail("cannot remove", to, err)
		}
	}
	if err := os.Symlink(target, c.env.Path(to)); err != nil {
		return c.fail("cannot create symbolic link", to, err)
	}
	c.attributes(to, info)
	c.done(from, to, kept)
	return true
}

func (c *copier) copyFile(from, to string, info sys.Info, kept string, exists bool) bool {
	if fi, err := c.env.Lstat(to); err == nil && fi.Mode()&os.ModeSymlink != 0 {
		if _, err := c.env.Stat(to); errors.Is(err, os.ErrNotExist) {
			return c.errorf("not writing through dangling symlink %s", tool.QuoteAlways(to))
		}
	}
	r, err := c.env.Open(from)
	if err != nil {
		return c.errorf("cannot open %s for reading: %s", tool.QuoteAlways(from), tool.Strerror(err))
	}
	defer r.Close()
	flags := os.O_WRONLY | os.O_TRUNC
	if c.attributesOnly {
		flags = os.O_WRONLY
	}
	what := "cannot create regular file"
	if !exists {
		flags |= os.O_CREATE | os.O_EXCL
	}
	if !exists && strings.HasSuffix(to, "/") {
		return c.fail(what, to, syscall.ENOTDIR)
	}
	w, err := c.env.OpenFile(to, flags, c.newMode(info))
	if err != nil && exists && c.force {
		c.env.Remove(to)
		w, err = c.env.OpenFile(to, flags|os.O_CREATE|os.O_EXCL, c.newMode(info))
		exists = false
	}
	if err != nil {
		return c.fail(what, to, err)
	}
	c.done(from, to, kept)
	if !c.attributesOnly {
		if _, err := io.Copy(w, r); err != nil {
			w.Close()
			return c.fail("error writing", to, err)
		}
	}
	if err := w.Close(); err != nil {
		return c.fail("failed to close", to, err)
	}
	c.attributes(to, info)
	return true
}

// makeParents makes the directories of from below to's, for --parents, and returns where the copy
// goes.
func (c *copier) makeParents(from, to string) string {
	dir := path.Dir(to)
	m := maker{env: c.env, parents: true}
	rest := strings.TrimLeft(from, "/")
	if parent := path.Dir(rest); parent != "." {
		if !m.make(join(dir, parent)) {
			c.status = 1
			return ""
		}
	}
	return join(dir, rest)
}
