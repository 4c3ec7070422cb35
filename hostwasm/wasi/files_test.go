package wasi_test

import (
	"crypto/rand"
	"slices"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
	"github.com/terrarium-dev/terrarium/hostwasm/wasi"
)

// The rights that guests ask for.
const (
	rightRead    = 1 << 1
	rightSeek    = 1 << 2
	rightFlags   = 1 << 3
	rightTell    = 1 << 5
	rightWrite   = 1 << 6
	rightReaddir = 1 << 14
	rightPoll    = 1 << 27
	allRights    = 1<<30 - 1

	readOnly  = allRights &^ (rightWrite | 1<<8 | 1<<0 | 1<<19 | 1<<22)
	readWrite = allRights
)

const (
	oCreate = 1 << iota
	oDirectory
	oExclusive
	oTruncate
)

const (
	fAppend = 1 << iota
	fDsync
	fNonblock
	fRsync
	fSync
)

// tree is what a sandbox has: a root, /dev, /tmp and /work.
func tree(t testing.TB) *vfs.Tree {
	t.Helper()
	tr := vfs.New(vfs.Config{})
	for dir, fs := range map[string]vfs.FS{
		"/": memory(tr), "/dev": vfs.Devices(rand.Reader, false), "/tmp": memory(tr), "/work": memory(tr),
	} {
		if err := tr.Mount(dir, fs); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { tr.Close() })
	return tr
}

func memory(t *vfs.Tree) vfs.FS { return vfs.Memory(vfs.MemoryOptions{Quota: t.Quota()}) }

// preopen returns the descriptor of a preopened directory.
func (g *guest) preopen(name string) uint32 {
	g.t.Helper()
	for fd, n := range g.preopens() {
		if n == name {
			return uint32(fd) + 3
		}
	}
	g.t.Fatalf("%q is not preopened", name)
	return 0
}

// preopens returns the names of descriptors 3 and up, until there are no more.
func (g *guest) preopens() (names []string) {
	g.t.Helper()
	at := g.room(8)
	for fd := uint64(3); g.call("fd_prestat_get", fd, at) == errno.SUCCESS; fd++ {
		n := g.u32(at + 4)
		buf := g.room(int(n))
		g.must("fd_prestat_dir_name", fd, buf, uint64(n))
		names = append(names, string(g.mem[buf:buf+uint64(n)]))
	}
	return names
}

// tryOpen is path_open, with links followed.
func (g *guest) tryOpen(dir uint32, name string, oflags, rights, flags uint64) (uint32, errno.Errno) {
	g.t.Helper()
	defer func(free uint32) { g.free = free }(g.free)
	ptr, n := g.put(name)
	result := g.room(4)
	e := g.call("path_open", uint64(dir), 1, ptr, n, oflags, rights, rights, flags, result)
	return g.u32(result), e
}

func (g *guest) open(dir uint32, name string, oflags, rights, flags uint64) uint32 {
	g.t.Helper()
	fd, e := g.tryOpen(dir, name, oflags, rights, flags)
	if e != errno.SUCCESS {
		g.t.Fatalf("open %s: %v", name, e)
	}
	return fd
}

// create makes a file with some text.
func (g *guest) create(dir uint32, name, text string) {
	g.t.Helper()
	fd := g.open(dir, name, oCreate|oTruncate, readWrite, 0)
	if n, e := g.write(fd, text); int(n) != len(text) {
		g.t.Fatalf("write %s: %d, %v", name, n, e)
	}
	g.must("fd_close", uint64(fd))
}

// content reads a file.
func (g *guest) content(dir uint32, name string) string {
	g.t.Helper()
	fd := g.open(dir, name, 0, readOnly, 0)
	defer g.must("fd_close", uint64(fd))
	text, e := g.read(fd, 1<<16)
	if e != errno.SUCCESS {
		g.t.Fatalf("read %s: %v", name, e)
	}
	return text
}

// at calls a function that takes a directory and a name in it, and perhaps
// more.
func (g *guest) at(function string, dir uint32, name string, more ...uint64) errno.Errno {
	g.t.Helper()
	ptr, n := g.put(name)
	return g.call(function, append([]uint64{uint64(dir), ptr, n}, more...)...)
}

func (g *guest) seek(fd uint32, offset int64, whence uint64) (uint64, errno.Errno) {
	g.t.Helper()
	at := g.room(8)
	e := g.call("fd_seek", uint64(fd), uint64(offset), whence, at)
	return g.u64(at), e
}

func TestPreopensDerived(t *testing.T) {
	files := tree(t)
	link := vfs.Path{Dir: "/", Name: "/bin"}
	if err := files.Symlink("work", link); err != nil {
		t.Fatal(err)
	}
	if err := files.Symlink("nowhere", vfs.Path{Dir: "/", Name: "/dangling"}); err != nil {
		t.Fatal(err)
	}
	g := start(t, wasi.Config{Files: files, Dir: "/work"})
	want := []string{"/", "/bin", "/dev", "/tmp", "/work", "."}
	if got := g.preopens(); !slices.Equal(got, want) {
		t.Fatalf("got %q, want %q", got, want)
	}
	g.create(g.preopen("."), "file", "in work")
	for dir, name := range map[string]string{"/": "work/file", "/bin": "file", "/work": "file", "/tmp": "../work/file", ".": "../work/file"} {
		if got := g.content(g.preopen(dir), name); got != "in work" {
			t.Errorf("%s from %s: got %q", name, dir, got)
		}
	}
	if got := start(t, wasi.Config{Files: files}).preopens(); !slices.Equal(got, want[:5]) {
		t.Errorf("without a current directory: got %q, want %q", got, want[:5])
	}
	if _, err := wasi.New(wasi.Config{Files: files, Dir: "/nowhere"}); err == nil {
		t.Error("a current directory that does not exist: got no error")
	}
}

// TestNamesOfLibc resolves names as wasi-libc does: leading slashes and dots
// forgotten, the longest preopen, the last one of those.
//
// https://github.com/WebAssembly/wasi-libc/blob/main/libc-bottom-half/sources/preopens.c
func TestNamesOfLibc(t *testing.T) {
	g := start(t, wasi.Config{Files: tree(t), Dir: "/work"})
	strip := func(s string) string {
		for {
			switch {
			case strings.HasPrefix(s, "/"):
				s = s[1:]
			case strings.HasPrefix(s, "./"):
				s = s[2:]
			case s == ".":
				s = ""
			default:
				return s
			}
		}
	}
	names := g.preopens()
	find := func(name string) (dir uint32, rest string) {
		name = strip(name)
		longest := -1
		for i := len(names) - 1; i >= 0; i-- {
			p := strip(names[i])
			if len(p) > longest && (p == "" || name == p || strings.HasPrefix(name, p+"/")) {
				longest, dir, rest = len(p), uint32(i)+3, strings.TrimPrefix(name[len(p):], "/")
			}
		}
		if rest == "" {
			rest = "."
		}
		return dir, rest
	}
	g.create(g.preopen("/work"), "a", "/work/a")
	g.create(g.preopen("/tmp"), "a", "/tmp/a")
	for name, want := range map[string]string{
		"a": "/work/a", "./a": "/work/a", "/work/a": "/work/a", "/tmp/a": "/tmp/a", "../tmp/a": "/tmp/a", "../../../work/a": "/work/a",
	} {
		dir, rest := find(name)
		if got := g.content(dir, rest); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

func TestBeneath(t *testing.T) {
	g := start(t, wasi.Config{Files: tree(t), Preopens: []wasi.Preopen{
		{Name: "box", Path: "/work", Beneath: true}, {Name: "/", Path: "/"},
	}})
	box := g.preopen("box")
	g.create(g.preopen("/"), "tmp/secret", "secret")
	g.at("path_create_directory", box, "sub")
	sub := g.open(box, "sub", oDirectory, readOnly, 0)
	for dir, names := range map[uint32][]string{
		box: {"../tmp/secret", "/tmp/secret", "sub/../../tmp/secret"},
		sub: {"../../tmp/secret", ".."},
	} {
		for _, name := range names {
			if _, e := g.tryOpen(dir, name, 0, readOnly, 0); e != errno.PERM {
				t.Errorf("%s: got %v, want %v", name, e, errno.PERM)
			}
		}
	}
	target, n := g.put("/tmp/secret")
	link, m := g.put("link")
	if e := g.call("path_symlink", target, n, uint64(box), link, m); e != errno.PERM {
		t.Errorf("an absolute link: got %v, want %v", e, errno.PERM)
	}
	target, n = g.put("../tmp/secret")
	g.must("path_symlink", target, n, uint64(box), link, m)
	if _, e := g.tryOpen(box, "link", 0, readOnly, 0); e != errno.PERM {
		t.Errorf("a link to the outside: got %v, want %v", e, errno.PERM)
	}
}

func TestNames(t *testing.T) {
	g := start(t, wasi.Config{Files: tree(t), Dir: "/work"})
	dir := g.preopen(".")
	g.create(dir, "ä\n ", "text")
	if got := g.content(dir, "ä\n "); got != "text" {
		t.Errorf("got %q, want %q", got, "text")
	}
	for name, want := range map[string]errno.Errno{
		"": errno.NOENT, "a\x00b": errno.INVAL, strings.Repeat("a/", 2049): errno.NAMETOOLONG, "nowhere": errno.NOENT, "ä\n /x": errno.NOTDIR, "\xff": errno.ILSEQ,
	} {
		if _, e := g.tryOpen(dir, name, 0, readOnly, 0); e != want {
			t.Errorf("%.10q: got %v, want %v", name, e, want)
		}
	}
	if e := g.call("path_unlink_file", uint64(dir), uint64(len(g.mem)-2), 3); e != errno.FAULT {
		t.Errorf("a name beyond memory: got %v, want %v", e, errno.FAULT)
	}
	file := g.open(dir, "ä\n ", 0, readOnly, 0)
	for fd, want := range map[uint32]errno.Errno{file: errno.NOTDIR, 0: errno.NOTDIR, 200: errno.BADF} {
		if _, e := g.tryOpen(fd, "x", 0, readOnly, 0); e != want {
			t.Errorf("from descriptor %d: got %v, want %v", fd, e, want)
		}
	}
}

func TestOpen(t *testing.T) {
	g := start(t, wasi.Config{Files: tree(t), Dir: "/work"})
	dir := g.preopen(".")
	g.create(dir, "file", "text")
	g.at("path_create_directory", dir, "sub")
	for _, c := range []struct {
		name           string
		oflags, rights uint64
		want           errno.Errno
	}{
		{"file", 0, 0, errno.SUCCESS},
		{"file", oDirectory, readOnly, errno.NOTDIR},
		{"file", oCreate | oExclusive, readWrite, errno.EXIST},
		{"file", 16, readOnly, errno.INVAL},
		{"file", oDirectory | oCreate, readOnly, errno.INVAL},
		{"sub", 0, readOnly, errno.SUCCESS},
		{"sub", 0, readWrite, errno.ISDIR},
		{"sub", oDirectory, readOnly, errno.SUCCESS},
		{"sub", oDirectory, readWrite, errno.ISDIR},
		{"sub", oTruncate, readOnly, errno.ISDIR},
		{"new", 0, readWrite, errno.NOENT},
		{"new", oCreate, readOnly, errno.SUCCESS},
	} {
		fd, e := g.tryOpen(dir, c.name, c.oflags, c.rights, 0)
		if e != c.want {
			t.Errorf("%s, %#x, %#x: got %v, want %v", c.name, c.oflags, c.rights, e, c.want)
		}
		if e == errno.SUCCESS {
			g.must("fd_close", uint64(fd))
		}
	}
	if got := g.content(dir, "file"); got != "text" {
		t.Errorf("got %q, want what was there", got)
	}
	// Rights that nobody has heard of are ignored, those that were not
	// inherited are refused.
	sub := g.open(dir, "sub", oDirectory, readOnly&^rightSeek, 0)
	if _, e := g.tryOpen(sub, "x", oCreate, 1<<40|readOnly&^rightSeek, 0); e != errno.SUCCESS {
		t.Errorf("got %v, want success", e)
	}
	if _, e := g.tryOpen(sub, "x", 0, rightSeek, 0); e != errno.NOTCAPABLE {
		t.Errorf("got %v, want %v", e, errno.NOTCAPABLE)
	}
}

func TestOpenLimit(t *testing.T) {
	g := start(t, wasi.Config{Files: tree(t), Dir: "/work", Limits: wasi.Limits{OpenFiles: 10}})
	dir := g.preopen(".")
	g.create(dir, "file", "")
	opened := 0
	for {
		if _, e := g.tryOpen(dir, "file", 0, readOnly, 0); e != errno.SUCCESS {
			if e != errno.MFILE {
				t.Errorf("got %v, want %v", e, errno.MFILE)
			}
			break
		}
		opened++
	}
	if opened != 2 {
		t.Errorf("got %d files beside 3 streams and 5 directories, want 2", opened)
	}
	if _, e := g.tryOpen(dir, "other", oCreate, readWrite, 0); e != errno.MFILE {
		t.Errorf("got %v, want %v", e, errno.MFILE)
	}
	g.must("fd_close", 8)
	if _, e := g.tryOpen(dir, "other", 0, readOnly, 0); e != errno.NOENT {
		t.Errorf("an open that was refused: got %v, want that it created nothing", e)
	}
	if fd := g.open(dir, "file", 0, readOnly, 0); fd != 8 {
		t.Errorf("got descriptor %d, want the lowest that is free, 8", fd)
	}
}

func TestStdioFiles(t *testing.T) {
	stdin, in := wasi.NewPipe(0)
	out, stdout := wasi.NewPipe(0)
	g := start(t, wasi.Config{Files: tree(t), Stdin: stdin.OpenFile(), Stdout: stdout.OpenFile()})
	root := g.preopen("/")
	in.Write([]byte("input"))
	fd := g.open(root, "dev/stdin", 0, readOnly&^rightSeek, 0)
	if got, e := g.read(fd, 10); got != "input" || e != errno.SUCCESS {
		t.Errorf("got %q, %v", got, e)
	}
	if _, e := g.tryOpen(root, "dev/stdin", 0, readWrite, 0); e != errno.ACCES {
		t.Errorf("writing to /dev/stdin: got %v, want %v", e, errno.ACCES)
	}
	fd = g.open(root, "dev/stdout", 0, rightWrite, fAppend)
	g.must("fd_close", 1)
	g.write(fd, "output")
	if _, e := g.tryOpen(root, "dev/stdout", 0, rightWrite, 0); e != errno.NOENT {
		t.Errorf("/dev/stdout when it is closed: got %v, want %v", e, errno.NOENT)
	}
	g.must("fd_close", uint64(fd))
	if got := <-collect(t, out); got != "output" {
		t.Errorf("got %q, want %q", got, "output")
	}
}

// TestHandedDirectory gives a child a directory of its parent's tree.
func TestHandedDirectory(t *testing.T) {
	var child *guest
	g := start(t, wasi.Config{Files: tree(t), Spawner: spawnerFunc(func(r wasi.Request, _ func(wasi.Status)) (wasi.Child, error) {
		child = start(t, wasi.Config{Files: tree(t), Dir: "/work", Inherited: r.Inherited})
		return &kid{}, nil
	})})
	g.create(g.preopen("/tmp"), "ours", "the parent's")
	g.spawn(part(4, words(4, g.preopen("/tmp"), 0)))
	if got := child.content(4, "ours"); got != "the parent's" {
		t.Errorf("got %q", got)
	}
	if _, e := child.tryOpen(4, "../work", 0, readOnly, 0); e != errno.PERM {
		t.Errorf("leaving it: got %v, want %v", e, errno.PERM)
	}
	// The guest must still find its own directories around it.
	if got, want := child.preopens(), []string{"/", "", "/dev", "/tmp", "/work", "."}; !slices.Equal(got, want) {
		t.Errorf("got preopens %q, want %q", got, want)
	}
	from, n := child.put("ours")
	to, m := child.put("mine")
	if e := child.call("path_rename", 4, from, n, uint64(child.preopen("/tmp")), to, m); e != errno.XDEV {
		t.Errorf("renaming into another tree: got %v, want %v", e, errno.XDEV)
	}
}
