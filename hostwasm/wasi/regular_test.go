package wasi_test

import (
	"math"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/wasi"
)

func TestSeek(t *testing.T) {
	g := start(t, wasi.Config{Files: tree(t), Dir: "/work"})
	g.create(g.preopen("."), "file", "0123456789")
	fd := g.open(g.preopen("."), "file", 0, readWrite, 0)
	for _, c := range []struct {
		offset int64
		whence uint64
		at     uint64
		want   errno.Errno
	}{
		{4, 0, 4, 0}, {2, 1, 6, 0}, {-3, 2, 7, 0}, {0, 1, 7, 0},
		{-8, 1, 0, errno.INVAL}, {-1, 0, 0, errno.INVAL}, {0, 3, 0, errno.INVAL},
		{math.MinInt64, 1, 0, errno.INVAL}, {math.MaxInt64, 1, 0, errno.OVERFLOW},
		{0, 1, 7, 0}, {math.MaxInt64, 0, math.MaxInt64, 0},
	} {
		if at, e := g.seek(fd, c.offset, c.whence); e != c.want || (e == 0 && at != c.at) {
			t.Errorf("seek %d from %d: got %d, %v, want %d, %v", c.offset, c.whence, at, e, c.at, c.want)
		}
	}
	if got, e := g.read(fd, 10); got != "" || e != errno.SUCCESS {
		t.Errorf("at the end of all files: got %q, %v", got, e)
	}
	if _, e := g.write(fd, "x"); e == errno.SUCCESS {
		t.Error("writing at the end of all files succeeded")
	}
	dir := uint64(g.preopen("."))
	if e := g.call("fd_tell", dir, 64); e != errno.ISDIR {
		t.Errorf("a directory: got %v, want %v", e, errno.ISDIR)
	}
	if e := g.call("fd_tell", 0, 64); e != errno.SPIPE {
		t.Errorf("stdin: got %v, want %v", e, errno.SPIPE)
	}
	tells := g.open(g.preopen("."), "file", 0, rightTell|rightRead, 0)
	if _, e := g.seek(tells, 0, 1); e != errno.SUCCESS {
		t.Errorf("asking where it is, with the right to tell: got %v", e)
	}
	if _, e := g.seek(tells, 1, 1); e != errno.NOTCAPABLE {
		t.Errorf("seeking, with the right to tell: got %v, want %v", e, errno.NOTCAPABLE)
	}
}

func TestPositioned(t *testing.T) {
	g := start(t, wasi.Config{Files: tree(t), Dir: "/work"})
	fd := uint64(g.open(g.preopen("."), "file", oCreate, readWrite, 0))
	a, n := g.put("abc")
	iovs, count := g.vector(a, n, a, n)
	result := g.room(4)
	g.must("fd_pwrite", fd, iovs, count, 4, result)
	buf := g.room(10)
	iovs, count = g.vector(buf, 5, buf+5, 5)
	g.must("fd_pread", fd, iovs, count, 2, result)
	if got := string(g.mem[buf : buf+uint64(g.u32(result))]); got != "\x00\x00abcabc" {
		t.Errorf("got %q, want %q", got, "\x00\x00abcabc")
	}
	if at, _ := g.seek(uint32(fd), 0, 1); at != 0 {
		t.Errorf("the position is %d, want 0", at)
	}
	if e := g.call("fd_pread", fd, iovs, count, 1<<63, result); e != errno.INVAL {
		t.Errorf("a negative offset: got %v, want %v", e, errno.INVAL)
	}
	if e := g.call("fd_pread", 0, iovs, count, 0, result); e != errno.SPIPE {
		t.Errorf("stdin: got %v, want %v", e, errno.SPIPE)
	}
}

// TestAppend toggles the flag.
func TestAppend(t *testing.T) {
	g := start(t, wasi.Config{Files: tree(t), Dir: "/work"})
	dir := g.preopen(".")
	g.create(dir, "file", "01234")
	fd := g.open(dir, "file", 0, readWrite, fAppend)
	g.write(fd, "5")
	if at, _ := g.seek(fd, 0, 1); at != 6 {
		t.Errorf("after appending the position is %d, want 6", at)
	}
	g.must("fd_fdstat_set_flags", uint64(fd), fSync)
	g.seek(fd, 0, 0)
	g.write(fd, "x")
	g.must("fd_fdstat_set_flags", uint64(fd), fAppend|fNonblock)
	g.write(fd, "6")
	if got := g.content(dir, "file"); got != "x123456" {
		t.Errorf("got %q, want %q", got, "x123456")
	}
	if e := g.call("fd_fdstat_set_flags", uint64(fd), 32); e != errno.INVAL {
		t.Errorf("an unknown flag: got %v, want %v", e, errno.INVAL)
	}
	g.at("path_unlink_file", dir, "file")
	g.create(dir, "file", "another")
	if e := g.call("fd_fdstat_set_flags", uint64(fd), 0); e != errno.NOTSUP {
		t.Errorf("when the name means another file: got %v, want %v", e, errno.NOTSUP)
	}
	g.write(fd, "7")
	g.seek(fd, 0, 0)
	if got, _ := g.read(fd, 100); got != "x1234567" {
		t.Errorf("got %q, want %q", got, "x1234567")
	}
}

func TestSharedPosition(t *testing.T) {
	g := start(t, wasi.Config{Files: tree(t), Dir: "/work"})
	g.create(g.preopen("."), "file", "0123456789")
	fd := g.open(g.preopen("."), "file", 0, readOnly, 0)
	result := g.room(4)
	g.must(wasi.Proc+".dup", uint64(fd), 0, result)
	again := g.u32(result)
	g.read(fd, 3)
	if got, _ := g.read(again, 3); got != "345" {
		t.Errorf("got %q, want %q", got, "345")
	}
	g.must("fd_renumber", uint64(again), 0)
	g.must("fd_close", uint64(fd))
	if got, _ := g.read(0, 3); got != "678" {
		t.Errorf("got %q, want %q", got, "678")
	}
	for _, fds := range [][2]uint64{{uint64(again), 0}, {0, uint64(again)}, {0, 1 << 31}} {
		if e := g.call("fd_renumber", fds[0], fds[1]); e != errno.BADF {
			t.Errorf("renumber%v: got %v, want %v", fds, e, errno.BADF)
		}
	}
	g.must("fd_renumber", 0, 0)
	if got, _ := g.read(0, 3); got != "9" {
		t.Errorf("after renumbering to itself: got %q, want %q", got, "9")
	}
	if e := g.call(wasi.Proc+".dup", 0, 256, result); e != errno.INVAL {
		t.Errorf("dup above the limit: got %v, want %v", e, errno.INVAL)
	}
}

func TestSize(t *testing.T) {
	g := start(t, wasi.Config{Files: tree(t), Dir: "/work"})
	fd := uint64(g.open(g.preopen("."), "file", oCreate, readWrite, 0))
	g.must("fd_filestat_set_size", fd, 100)
	g.must("fd_allocate", fd, 50, 10)
	g.must("fd_allocate", fd, 90, 20)
	if s := g.stat(fd); s.size != 110 {
		t.Errorf("got size %d, want 110", s.size)
	}
	for _, c := range []struct {
		function string
		params   []uint64
		want     errno.Errno
	}{
		{"fd_filestat_set_size", []uint64{fd, 1 << 63}, errno.INVAL},
		{"fd_filestat_set_size", []uint64{0, 1}, errno.INVAL},
		{"fd_filestat_set_size", []uint64{uint64(g.preopen(".")), 1}, errno.ISDIR},
		{"fd_allocate", []uint64{fd, 0, 0}, errno.INVAL},
		{"fd_allocate", []uint64{fd, 1 << 62, 1 << 62}, errno.FBIG},
		{"fd_advise", []uint64{fd, 0, 0, 5}, errno.SUCCESS},
		{"fd_advise", []uint64{fd, 0, 0, 6}, errno.INVAL},
		{"fd_advise", []uint64{0, 0, 0, 0}, errno.SPIPE},
		{"fd_sync", []uint64{fd}, errno.SUCCESS},
		{"fd_datasync", []uint64{fd}, errno.SUCCESS},
		{"fd_sync", []uint64{uint64(g.preopen("."))}, errno.SUCCESS},
		{"fd_sync", []uint64{1}, errno.INVAL},
		{"fd_filestat_set_times", []uint64{fd, 1, 1, 1 | 2}, errno.INVAL},
		{"fd_filestat_set_times", []uint64{fd, 1, 1, 16}, errno.INVAL},
		{"sock_shutdown", []uint64{fd, 1}, errno.NOTSOCK},
		{"sock_accept", []uint64{99, 0, 64}, errno.BADF},
	} {
		if e := g.call(c.function, c.params...); e != c.want {
			t.Errorf("%s%v: got %v, want %v", c.function, c.params, e, c.want)
		}
	}
}

func TestTimes(t *testing.T) {
	g := start(t, wasi.Config{Files: tree(t), Dir: "/work", Deterministic: true})
	dir := g.preopen(".")
	fd := uint64(g.open(dir, "file", oCreate, readWrite, 0))
	g.must("fd_filestat_set_times", fd, 11, 22, 1|4)
	if s := g.stat(fd); s.atim != 11 || s.mtim != 22 {
		t.Errorf("got %d, %d, want 11, 22", s.atim, s.mtim)
	}
	ptr, n := g.put("file")
	g.must("path_filestat_set_times", uint64(dir), 1, ptr, n, 33, 44, 2)
	const start = 1_767_225_600e9 // of the deterministic clock
	if s := g.stat(fd); s.atim < start || s.atim > start+1e6 || s.mtim != 22 {
		t.Errorf("got %d, %d, want now, 22", s.atim, s.mtim)
	}
}

func TestFiles(t *testing.T) {
	g := start(t, wasi.Config{Files: tree(t), Dir: "/work"})
	dir := g.preopen(".")
	g.create(dir, "a", "text")
	check := func(what string, got, want errno.Errno) {
		t.Helper()
		if got != want {
			t.Errorf("%s: got %v, want %v", what, got, want)
		}
	}
	b, bn := g.put("b")
	check("link", g.at("path_rename", dir, "a", uint64(dir), b, bn), 0)
	ptr, n := g.put("b")
	c, cn := g.put("c")
	check("link", g.call("path_link", uint64(dir), 0, ptr, n, uint64(dir), c, cn), 0)
	check("mkdir", g.at("path_create_directory", dir, "d"), 0)
	check("mkdir again", g.at("path_create_directory", dir, "d"), errno.EXIST)
	check("unlink a directory", g.at("path_unlink_file", dir, "d"), errno.ISDIR)
	check("rmdir a file", g.at("path_remove_directory", dir, "c"), errno.NOTDIR)
	target, tn := g.put("../work/c")
	link, ln := g.put("link")
	check("symlink", g.call("path_symlink", target, tn, uint64(dir), link, ln), 0)
	if got := g.content(dir, "link"); got != "text" {
		t.Errorf("got %q, want %q", got, "text")
	}
	buf, used := g.room(100), g.room(4)
	for _, size := range []uint64{0, 4, 100} {
		check("readlink", g.at("path_readlink", dir, "link", buf, size, used), 0)
		if got, want := string(g.mem[buf:buf+uint64(g.u32(used))]), "../work/c"[:min(size, 9)]; got != want {
			t.Errorf("readlink of %d bytes: got %q, want %q", size, got, want)
		}
	}
	check("open a link itself", func() errno.Errno {
		return g.call("path_open", uint64(dir), 0, link, ln, 0, readOnly, 0, 0, used)
	}(), errno.LOOP)
	check("stat of a link", g.call("path_filestat_get", uint64(dir), 0, link, ln, buf), 0)
	if g.mem[buf+16] != 7 {
		t.Errorf("got type %d, want 7", g.mem[buf+16])
	}
	check("rmdir", g.at("path_remove_directory", dir, "d"), 0)
	check("unlink", g.at("path_unlink_file", dir, "c"), 0)
}

// TestRights narrows a descriptor and looks for each right whether the
// functions that need it are refused.
func TestRights(t *testing.T) {
	for right, uses := range map[uint][]func(g *guest, dir, file uint64) errno.Errno{
		0:  {func(g *guest, _, file uint64) errno.Errno { return g.call("fd_datasync", file) }},
		2:  {func(g *guest, _, file uint64) errno.Errno { return g.call("fd_seek", file, 1, 0, 64) }},
		3:  {func(g *guest, _, file uint64) errno.Errno { return g.call("fd_fdstat_set_flags", file, 0) }},
		4:  {func(g *guest, _, file uint64) errno.Errno { return g.call("fd_sync", file) }},
		7:  {func(g *guest, _, file uint64) errno.Errno { return g.call("fd_advise", file, 0, 0, 0) }},
		8:  {func(g *guest, _, file uint64) errno.Errno { return g.call("fd_allocate", file, 0, 1) }},
		9:  {func(g *guest, dir, _ uint64) errno.Errno { return g.at("path_create_directory", uint32(dir), "d") }},
		10: {func(g *guest, dir, _ uint64) errno.Errno { return openErr(g, dir, "new", oCreate) }},
		11: {linkErr},
		12: {linkErr},
		13: {func(g *guest, dir, _ uint64) errno.Errno { return openErr(g, dir, "file", 0) }},
		14: {func(g *guest, dir, _ uint64) errno.Errno { return g.call("fd_readdir", dir, 64, 0, 0, 64) }},
		15: {func(g *guest, dir, _ uint64) errno.Errno {
			return g.at("path_readlink", uint32(dir), "link", 64, 0, 64)
		}},
		16: {renameErr},
		17: {renameErr},
		18: {func(g *guest, dir, _ uint64) errno.Errno {
			ptr, n := g.put("file")
			return g.call("path_filestat_get", dir, 0, ptr, n, g.room(64))
		}},
		19: {func(g *guest, dir, _ uint64) errno.Errno { return openErr(g, dir, "file", oTruncate) }},
		20: {func(g *guest, dir, _ uint64) errno.Errno {
			ptr, n := g.put("file")
			return g.call("path_filestat_set_times", dir, 0, ptr, n, 0, 0, 0)
		}},
		21: {func(g *guest, dir, file uint64) errno.Errno { return g.call("fd_filestat_get", file, g.room(64)) }},
		22: {func(g *guest, dir, file uint64) errno.Errno { return g.call("fd_filestat_set_size", file, 1) }},
		23: {func(g *guest, dir, file uint64) errno.Errno { return g.call("fd_filestat_set_times", file, 0, 0, 0) }},
		24: {func(g *guest, dir, _ uint64) errno.Errno {
			target, n := g.put("t")
			link, m := g.put("l")
			return g.call("path_symlink", target, n, dir, link, m)
		}},
		25: {func(g *guest, dir, _ uint64) errno.Errno { return g.at("path_remove_directory", uint32(dir), "sub") }},
		26: {func(g *guest, dir, _ uint64) errno.Errno { return g.at("path_unlink_file", uint32(dir), "link") }},
		27: {func(g *guest, dir, file uint64) errno.Errno {
			events, err := g.poll(readSub(1, uint32(file)))
			if err != nil || len(events) != 1 {
				g.t.Fatal(events, err)
			}
			return events[0].err
		}},
	} {
		for _, use := range uses {
			for _, narrowed := range []bool{false, true} {
				g := start(t, wasi.Config{Files: tree(t), Dir: "/work"})
				root := g.preopen(".")
				g.create(root, "file", "text")
				g.at("path_create_directory", root, "sub")
				target, n := g.put("file")
				link, m := g.put("link")
				g.must("path_symlink", target, n, uint64(root), link, m)
				dir := uint64(g.open(root, ".", oDirectory, allRights&^rightWrite&^(1<<8), 0))
				file := uint64(g.open(root, "file", 0, readWrite, 0))
				want := errno.SUCCESS
				if narrowed {
					for _, fd := range []uint64{dir, file} {
						at := g.room(24)
						g.must("fd_fdstat_get", fd, at)
						base, inheriting := g.u64(at+8), g.u64(at+16)
						g.must("fd_fdstat_set_rights", fd, base&^(1<<right), inheriting)
						if e := g.call("fd_fdstat_set_rights", fd, base|1<<right, inheriting); e != errno.NOTCAPABLE {
							t.Fatalf("widening: got %v, want %v", e, errno.NOTCAPABLE)
						}
					}
					want = errno.NOTCAPABLE
				}
				if got := use(g, dir, file); got != want {
					t.Errorf("right %d, narrowed %v: got %v, want %v", right, narrowed, got, want)
				}
			}
		}
	}
}

func openErr(g *guest, dir uint64, name string, oflags uint64) errno.Errno {
	ptr, n := g.put(name)
	return g.call("path_open", dir, 0, ptr, n, oflags, 0, 0, 0, g.room(4))
}

func linkErr(g *guest, dir, _ uint64) errno.Errno {
	from, n := g.put("file")
	to, m := g.put("hard")
	return g.call("path_link", dir, 0, from, n, dir, to, m)
}

func renameErr(g *guest, dir, _ uint64) errno.Errno {
	from, n := g.put("file")
	to, m := g.put("renamed")
	return g.call("path_rename", dir, from, n, dir, to, m)
}

func TestIsatty(t *testing.T) {
	terminal, _, _ := newTerminal(false)
	_, stderr := wasi.NewPipe(0)
	g := start(t, wasi.Config{Files: tree(t), Stdin: terminal.Input(), Stdout: terminal.Output(), Stderr: stderr.OpenFile()})
	null := g.open(g.preopen("/"), "dev/null", 0, readOnly, 0)
	for fd, want := range map[uint32]bool{0: true, 1: true, 2: false, 3: false, null: false} {
		at := g.room(24)
		g.must("fd_fdstat_get", uint64(fd), at)
		// As wasi-libc and Rust ask.
		if got := g.mem[at] == 2 && g.u64(at+8)&(rightSeek|rightTell) == 0; got != want {
			t.Errorf("descriptor %d: got terminal %v, want %v", fd, got, want)
		}
	}
}

func TestFileAllocatesNothing(t *testing.T) {
	g := start(t, wasi.Config{Files: tree(t), Dir: "/work"})
	g.create(g.preopen("."), "file", strings.Repeat("x", 1000))
	fd := uint64(g.open(g.preopen("."), "file", 0, readWrite, 0))
	buf := g.room(1000)
	iovs, count := g.vector(buf, 500, buf+500, 500)
	result := g.room(8)
	var guest any = g.p
	mem := engine.Lent(g.mem)
	stack := make([]uint64, 5)
	run := func(name string, params ...uint64) func() {
		f := funcs[wasi.Preview1+"."+name].Call
		return func() {
			copy(stack, params)
			if err := f(guest, mem, stack[:max(1, len(params))]); err != nil || stack[0] != 0 {
				t.Fatal(name, err, stack[0])
			}
		}
	}
	for name, params := range map[string][]uint64{
		"fd_read":        {fd, iovs, count, result},
		"fd_write":       {fd, iovs, count, result},
		"fd_pread":       {fd, iovs, count, 0, result},
		"fd_pwrite":      {fd, iovs, count, 0, result},
		"fd_seek":        {fd, 0, 0, result},
		"clock_time_get": {1, 0, result},
		"random_get":     {buf, 100},
		"sched_yield":    {},
	} {
		f := run(name, params...)
		if got := testing.AllocsPerRun(100, f); got != 0 {
			t.Errorf("%s: got %v allocations, want 0", name, got)
		}
	}
}
