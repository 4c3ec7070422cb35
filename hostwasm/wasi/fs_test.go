package wasi_test

import (
	"testing"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
	"github.com/terrarium-dev/terrarium/hostwasm/wasi"
)

// setMode is mode_set of a name.
func (g *guest) setMode(dir uint32, name string, mode uint64) errno.Errno {
	g.t.Helper()
	ptr, n := g.put(name)
	return g.call(wasi.FS+".mode_set", uint64(dir), 0, ptr, n, mode)
}

// mode is mode_get of a name, which filestats must tell too.
func (g *guest) mode(dir uint32, name string) uint32 {
	g.t.Helper()
	at := g.room(64)
	ptr, n := g.put(name)
	g.must(wasi.FS+".mode_get", uint64(dir), 0, ptr, n, at)
	mode := g.u32(at)
	g.must("path_filestat_get", uint64(dir), 0, ptr, n, at)
	if got := g.u32(at+16) >> 16; got != 1<<15|mode {
		g.t.Errorf("the filestat of %s: got mode %o, want %o and 100000", name, got, mode)
	}
	return mode
}

func TestModes(t *testing.T) {
	g := start(t, wasi.Config{Files: tree(t), Dir: "/work"})
	if f, _ := g.raw(wasi.FS + ".features"); f != 7 {
		t.Errorf("features: got %d, want 7", f)
	}
	dir := g.preopen(".")
	g.create(dir, "file", "x")
	if got := g.mode(dir, "file"); got != 0o644 {
		t.Errorf("a new file: got mode %o, want 644", got)
	}
	if e := g.setMode(dir, "file", 0o7751); e != errno.SUCCESS {
		t.Fatal(e)
	}
	if got := g.mode(dir, "file"); got != 0o751 {
		t.Errorf("got mode %o, want 751: only permissions can be set", got)
	}
	at := g.room(8)
	fd := uint64(g.open(dir, "file", 0, readOnly, 0))
	g.must(wasi.FS+".mode_set", fd, 2, 0, 0, 0o640)
	g.must(wasi.FS+".mode_get", fd, 2, 0, 0, at)
	if got := g.u32(at); got != 0o640 {
		t.Errorf("by its descriptor: got mode %o, want 640", got)
	}
	g.must(wasi.FS+".mode_set", uint64(dir), 2, 0, 0, 0o700)
	if got := g.mode(g.preopen("/"), "work"); got != 0o1700 {
		t.Errorf("a directory by its descriptor: got mode %o, want 700 and the sticky bit that it had", got)
	}
}

// TestModeOfAnother has another file take the name of one that is open.
func TestModeOfAnother(t *testing.T) {
	g := start(t, wasi.Config{Files: tree(t), Dir: "/work"})
	dir := g.preopen(".")
	g.create(dir, "file", "x")
	fd := uint64(g.open(dir, "file", 0, readOnly, 0))
	name, n := g.put("file")
	g.must("path_unlink_file", uint64(dir), name, n)
	if e := g.call(wasi.FS+".mode_set", fd, 2, 0, 0, 0o777); e != errno.NOTSUP {
		t.Errorf("an unlinked file: got %v, want %v", e, errno.NOTSUP)
	}
	g.create(dir, "file", "y")
	if e := g.call(wasi.FS+".mode_set", fd, 2, 0, 0, 0o777); e != errno.NOTSUP {
		t.Errorf("another file of that name: got %v, want %v", e, errno.NOTSUP)
	}
	if got := g.mode(dir, "file"); got != 0o644 {
		t.Errorf("the other file: got mode %o, want 644", got)
	}
}

func TestCreating(t *testing.T) {
	g := start(t, wasi.Config{Files: tree(t), Dir: "/work", Modes: wasi.Masked(0o077)})
	dir := g.preopen(".")
	g.create(dir, "before", "")
	old := g.room(8)
	const keep = 1<<32 - 1
	g.must(wasi.FS+".creating", 0o7755, keep, old)
	if files, dirs := g.u32(old), g.u32(old+4); files != 0o600 || dirs != 0o700 {
		t.Errorf("got the old modes %o and %o, want 600 and 700", files, dirs)
	}
	g.create(dir, "after", "")
	name, n := g.put("dir")
	g.must("path_create_directory", uint64(dir), name, n)
	for name, want := range map[string]uint32{"before": 0o600, "after": 0o755, "dir": 0o700} {
		if got := g.mode(dir, name); got != want {
			t.Errorf("%s: got mode %o, want %o", name, got, want)
		}
	}
	g.must(wasi.FS+".creating", 0, 0, old)
	g.create(dir, "none", "")
	if got := g.mode(dir, "none"); got != 0 {
		t.Errorf("got mode %o, want 0", got)
	}
}

// modeless are files without modes, as of a file system of somebody else's.
type modeless struct{ wasi.Files }

func (m *modeless) Stat(p vfs.Path) (vfs.Stat, error) {
	s, err := m.Files.Stat(p)
	s.Mode = 0
	return s, err
}

func TestHostileModes(t *testing.T) {
	g := start(t, wasi.Config{Files: tree(t), Dir: "/work"})
	dir := uint64(g.preopen("."))
	g.create(uint32(dir), "file", "x")
	name, n := g.put("file")
	out := g.room(8)
	end := uint64(len(g.mem))
	r, _ := g.pipe(0)
	narrow := g.room(4)
	g.must("path_open", dir, 0, name, n, 0, 2, 0, 0, narrow) // the right to read, and no other
	for what, c := range map[string]struct {
		name   string
		params []uint64
		want   errno.Errno
	}{
		"no such flag":            {"mode_set", []uint64{dir, 4, name, n, 0o777}, errno.INVAL},
		"a mode too large":        {"mode_set", []uint64{dir, 0, name, n, 0o10000}, errno.INVAL},
		"all bits":                {"mode_set", []uint64{dir, 0, name, n, 1<<32 - 1}, errno.INVAL},
		"no name":                 {"mode_set", []uint64{dir, 0, name, 0, 0o777}, errno.NOENT},
		"a name out of memory":    {"mode_set", []uint64{dir, 0, end - 1, 2, 0o777}, errno.FAULT},
		"a name as long as all":   {"mode_set", []uint64{dir, 0, 0, end, 0o777}, errno.NAMETOOLONG},
		"no descriptor":           {"mode_set", []uint64{1000, 0, name, n, 0o777}, errno.BADF},
		"below a pipe":            {"mode_set", []uint64{uint64(r), 0, name, n, 0o777}, errno.NOTDIR},
		"a pipe":                  {"mode_set", []uint64{uint64(r), 2, 0, 0, 0o777}, errno.INVAL},
		"a descriptor and a name": {"mode_set", []uint64{dir, 2, name, n, 0o777}, errno.INVAL},
		"out of the tree":         {"mode_set", append(append([]uint64{dir, 0}, pair(g.put("../../../etc/passwd"))...), 0o777), errno.NOENT},
		"without the right":       {"mode_set", []uint64{uint64(g.u32(narrow)), 2, 0, 0, 0o777}, errno.NOTCAPABLE},
		"to nowhere":              {"mode_get", []uint64{dir, 0, name, n, end - 3}, errno.FAULT},
		"the old out of memory":   {"creating", []uint64{0o777, 0o777, end - 7}, errno.FAULT},
		"files of no mode":        {"creating", []uint64{0o10000, 0o777, out}, errno.INVAL},
		"directories of no mode":  {"creating", []uint64{0o777, 0o10000, out}, errno.INVAL},
	} {
		if e := g.call(wasi.FS+"."+c.name, c.params...); e != c.want {
			t.Errorf("%s: got %v, want %v", what, e, c.want)
		}
	}
	g.must(wasi.FS+".creating", 1<<32-1, 1<<32-1, out)
	if files, dirs := g.u32(out), g.u32(out+4); files != 0o644 || dirs != 0o755 {
		t.Errorf("a refused call has changed the modes of new files to %o and %o", files, dirs)
	}
	if got := g.mode(uint32(dir), "file"); got != 0o644 {
		t.Errorf("a refused call has changed the mode to %o", got)
	}

	g = start(t, wasi.Config{Files: &modeless{tree(t)}, Dir: "/work"})
	g.create(g.preopen("."), "file", "x")
	name, n = g.put("file")
	if e := g.call(wasi.FS+".mode_get", uint64(g.preopen(".")), 0, name, n, g.room(4)); e != errno.NOTSUP {
		t.Errorf("without modes: got %v, want %v", e, errno.NOTSUP)
	}
}

func pair(ptr, n uint64) []uint64 { return []uint64{ptr, n} }
