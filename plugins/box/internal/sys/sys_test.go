package sys

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"testing/fstest"
)

// TestParseMode has what chmod of GNU coreutils 9.1 did to files, and then to directories, with a
// umask of 022.
func TestParseMode(t *testing.T) {
	for _, c := range []struct {
		mode      string
		old, want uint32
	}{
		{"755", 0o644, 0o755},
		{"0", 0o644, 0o0},
		{"7777", 0o644, 0o7777},
		{"u+x", 0o644, 0o744},
		{"go-w", 0o644, 0o644},
		{"a=r", 0o644, 0o444},
		{"=r", 0o644, 0o444},
		{"+x", 0o644, 0o755},
		{"-w", 0o644, 0o444},
		{"u=g", 0o644, 0o444},
		{"o=u", 0o644, 0o646},
		{"g+u-r", 0o644, 0o624},
		{"u=rwx,g=rx,o=", 0o644, 0o750},
		{"a+X", 0o644, 0o644},
		{"u+s", 0o644, 0o4644},
		{"g+s", 0o644, 0o2644},
		{"+t", 0o644, 0o1644},
		{"u-s", 0o644, 0o644},
		{"=", 0o644, 0o0},
		{"u=,g=", 0o644, 0o4},
		{"u+rw,o+", 0o644, 0o644},
		{"07777", 0o644, 0o7777},
		{"+644", 0o644, 0o644},
		{"-044", 0o644, 0o600},
		{"=17", 0o644, 0o17},
		{"755", 0o755, 0o755},
		{"0", 0o755, 0o0},
		{"7777", 0o755, 0o7777},
		{"u+x", 0o755, 0o755},
		{"go-w", 0o755, 0o755},
		{"a=r", 0o755, 0o444},
		{"=r", 0o755, 0o444},
		{"+x", 0o755, 0o755},
		{"-w", 0o755, 0o555},
		{"u=g", 0o755, 0o555},
		{"o=u", 0o755, 0o757},
		{"g+u-r", 0o755, 0o735},
		{"u=rwx,g=rx,o=", 0o755, 0o750},
		{"a+X", 0o755, 0o755},
		{"u+s", 0o755, 0o4755},
		{"g+s", 0o755, 0o2755},
		{"+t", 0o755, 0o1755},
		{"u-s", 0o755, 0o755},
		{"=", 0o755, 0o0},
		{"u=,g=", 0o755, 0o5},
		{"u+rw,o+", 0o755, 0o755},
		{"07777", 0o755, 0o7777},
		{"+644", 0o755, 0o755},
		{"-044", 0o755, 0o711},
		{"=17", 0o755, 0o17},
		{"u=g", 0o600, 0o0},
		{"o=u", 0o600, 0o606},
		{"g+u-r", 0o600, 0o620},
		{"a+X", 0o600, 0o600},
		{"u=g", 0o0, 0o0},
		{"o=u", 0o0, 0o0},
		{"g+u-r", 0o0, 0o0},
		{"a+X", 0o0, 0o0},
		{"755", Dir | 0o2755, Dir | 0o2755},
		{"0755", Dir | 0o2755, Dir | 0o2755},
		{"00755", Dir | 0o2755, Dir | 0o755},
		{"02755", Dir | 0o2755, Dir | 0o2755},
		{"=rx", Dir | 0o2755, Dir | 0o2555},
		{"g-s", Dir | 0o2755, Dir | 0o755},
		{"u=rwx", Dir | 0o2755, Dir | 0o2755},
		{"a+X", Dir | 0o2755, Dir | 0o2755},
		{"u+s", Dir | 0o2755, Dir | 0o6755},
		{"755", Dir | 0o755, Dir | 0o755},
		{"0755", Dir | 0o755, Dir | 0o755},
		{"00755", Dir | 0o755, Dir | 0o755},
		{"02755", Dir | 0o755, Dir | 0o2755},
		{"=rx", Dir | 0o755, Dir | 0o555},
		{"g-s", Dir | 0o755, Dir | 0o755},
		{"u=rwx", Dir | 0o755, Dir | 0o755},
		{"a+X", Dir | 0o755, Dir | 0o755},
		{"u+s", Dir | 0o755, Dir | 0o4755},
	} {
		apply, ok := ParseMode(c.mode, 0o022)
		if !ok {
			t.Errorf("%s: got no mode", c.mode)
			continue
		}
		if got := apply(c.old); got != c.want {
			t.Errorf("%s of %o: got %o, want %o", c.mode, c.old, got, c.want)
		}
	}
	for _, mode := range []string{"", "x", "8", "10000", "99999999999999999999", "u", "u+q", "u+x,", ",u+x", "u+x,,g+x", "+9", "+10000", "a"} {
		if _, ok := ParseMode(mode, 0); ok {
			t.Errorf("%q: got a mode", mode)
		}
	}
}

// FuzzParseMode has a mode change permissions only, whatever it is: the type of a file stays.
func FuzzParseMode(f *testing.F) {
	f.Add("u+x,go-w", uint32(Dir|0o644))
	f.Add("+17777", uint32(Regular|0o7777))
	f.Add("00", uint32(Symlink))
	f.Fuzz(func(t *testing.T, mode string, old uint32) {
		apply, ok := ParseMode(mode, 0o022)
		if !ok {
			return
		}
		old &= TypeMask | 0o7777
		got := apply(old)
		if got&^0o7777 != old&^0o7777 {
			t.Errorf("%q of %o: got %o", mode, old, got)
		}
		if n, err := strconv.ParseUint(mode, 8, 12); err == nil && old&TypeMask == Regular && got != Regular|uint32(n) {
			t.Errorf("%q of %o: got %o", mode, old, got)
		}
	})
}

// TestHuman has what numfmt of GNU coreutils 9.1 says, which writes K for k.
func TestHuman(t *testing.T) {
	for _, c := range []struct {
		n              int64
		by1024, by1000 string
	}{
		{0, "0", "0"},
		{1, "1", "1"},
		{999, "999", "999"},
		{1000, "1000", "1.0k"},
		{1023, "1023", "1.1k"},
		{1024, "1.0K", "1.1k"},
		{1025, "1.1K", "1.1k"},
		{10137, "9.9K", "11k"},
		{10138, "10K", "11k"},
		{10239, "10K", "11k"},
		{10240, "10K", "11k"},
		{99999, "98K", "100k"},
		{1048575, "1.0M", "1.1M"},
		{1048576, "1.0M", "1.1M"},
		{1073741823, "1.0G", "1.1G"},
		{123456789012, "115G", "124G"},
		{1125899906842624, "1.0P", "1.2P"},
		{9223372036854775807, "8.0E", "9.3E"},
	} {
		if got := Human(c.n, 1024); got != c.by1024 {
			t.Errorf("%d: got %s, want %s", c.n, got, c.by1024)
		}
		if got := Human(c.n, 1000); got != c.by1000 {
			t.Errorf("%d by 1000: got %s, want %s", c.n, got, c.by1000)
		}
	}
}

func TestParseBlockSize(t *testing.T) {
	for _, c := range []struct {
		s      string
		size   int64
		suffix string
		ok     bool
	}{
		{"1", 1, "", true}, {"1K", 1 << 10, "", true}, {"K", 1 << 10, "K", true}, {"KB", 1000, "KB", true}, {"MiB", 1 << 20, "MiB", true},
		{"3m", 3 << 20, "", true}, {"E", 1 << 60, "E", true}, {"0", 0, "", false}, {"", 0, "", false}, {"X", 0, "", false},
		{"KX", 0, "", false}, {"99E", 0, "", false}, {"99999999999999999999", 0, "", false}, {"-1", 0, "", false},
	} {
		size, suffix, ok := ParseBlockSize(c.s)
		if ok != c.ok || ok && (size != c.size || suffix != c.suffix) {
			t.Errorf("%q: got %d, %q, %v, want %d, %q, %v", c.s, size, suffix, ok, c.size, c.suffix, c.ok)
		}
	}
}

func TestModeString(t *testing.T) {
	for _, c := range []struct {
		mode uint32
		want string
	}{
		{Regular | 0o644, "-rw-r--r--"}, {Dir | 0o1777, "drwxrwxrwt"}, {Dir | 0o1776, "drwxrwxrwT"}, {Regular | 0o4755, "-rwsr-xr-x"},
		{Regular | 0o6644, "-rwSr-Sr--"}, {Symlink | 0o777, "lrwxrwxrwx"}, {Fifo, "p---------"}, {Socket, "s---------"},
		{Block | 0o660, "brw-rw----"}, {Char | 0o666, "crw-rw-rw-"},
	} {
		if got := (Info{Mode: c.mode}).ModeString(); got != c.want {
			t.Errorf("%o: got %s, want %s", c.mode, got, c.want)
		}
	}
}

// Files that are not the system's are described too, with what Go knows of them.
func TestPortable(t *testing.T) {
	files := fstest.MapFS{
		"f": {Data: make([]byte, 5000), Mode: 0o640 | fs.ModeSetuid},
		"d": {Mode: fs.ModeDir | 0o755 | fs.ModeSticky},
		"p": {Mode: fs.ModeNamedPipe | 0o600},
	}
	for name, want := range map[string]Info{
		"f": {Nlink: 1, Size: 5000, Blocks: 16, Mode: Regular | SetUID | 0o640},
		"d": {Nlink: 1, Mode: Dir | Sticky | 0o755},
		"p": {Nlink: 1, Mode: Fifo | 0o600},
	} {
		fi, err := fs.Stat(files, name)
		if err != nil {
			t.Fatal(err)
		}
		got := Of(fi)
		got.Atime, got.Mtime, got.Ctime = want.Atime, want.Mtime, want.Ctime
		if got != want {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
		if Same(got, got) {
			t.Errorf("%s: got the same file, though nothing tells files apart", name)
		}
	}
}

func TestOf(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(name, make([]byte, 10), 0o600); err != nil {
		t.Fatal(err)
	}
	fi, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	i := Of(fi)
	if !i.IsRegular() || i.IsDir() || i.IsLink() || i.Size != 10 || i.Type() != '-' || i.Mode&0o777 != 0o600 {
		t.Errorf("got %+v", i)
	}
	if err := os.Link(name, name+"2"); err != nil {
		t.Skip(err)
	}
	fi, err = os.Stat(name + "2")
	if err != nil {
		t.Fatal(err)
	}
	if !Same(i, Of(fi)) {
		t.Errorf("got two files, want two names of one")
	}
}

func TestAccess(t *testing.T) {
	dir := t.TempDir()
	plain, script := filepath.Join(dir, "plain"), filepath.Join(dir, "script")
	for name, mode := range map[string]fs.FileMode{plain: 0o644, script: 0o755} {
		if err := os.WriteFile(name, nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name  string
		right Right
		want  error
	}{
		{plain, Read, nil}, {plain, Write, nil}, {plain, Execute, fs.ErrPermission}, {script, Execute, nil},
		{dir, Execute, nil}, {dir, Read, nil}, {dir, Write, nil}, {filepath.Join(dir, "missing"), Read, fs.ErrNotExist},
	} {
		if err := Access(c.name, c.right); !errors.Is(err, c.want) {
			t.Errorf("%s, %d: got %v, want %v", filepath.Base(c.name), c.right, err, c.want)
		}
	}
}

// Nobody has this number.
func TestNamesOfUsers(t *testing.T) {
	if got := UserName(0); got != "root" {
		t.Errorf("got %s, want root", got)
	}
	if got := GroupName(0); got != "root" && got != "wheel" {
		t.Errorf("got %s, want root", got)
	}
	if got := UserName(math.MaxUint32 - 7); got != "4294967288" {
		t.Errorf("got %s, want its number", got)
	}
	if uid, gid, ok := UserID("root"); uid != 0 || gid != 0 || !ok {
		t.Errorf("got %d, %d, %v", uid, gid, ok)
	}
	if _, _, ok := UserID("no such user"); ok {
		t.Error("got a user")
	}
	if _, ok := GroupID("no such group"); ok {
		t.Error("got a group")
	}
}
