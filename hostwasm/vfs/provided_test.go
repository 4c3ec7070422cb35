package vfs_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terrarium-dev/terrarium/hostwasm/errno"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// An editor is a vfs.Provider of files in memory.
type editor struct {
	fs vfs.FS

	mu     sync.Mutex
	before func(ctx context.Context, what, name string) error // what it does first
	asked  []string
}

func newEditor(t testing.TB, files map[string]string) *editor {
	e := &editor{fs: vfs.Memory(vfs.MemoryOptions{})}
	for name, text := range files {
		var dirs []string
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			dirs = append(dirs, dir)
		}
		slices.Reverse(dirs)
		for _, dir := range dirs {
			e.fs.Mkdir(dir, 0)
		}
		must(t, e.write(name, []byte(text), true, true))
	}
	return e
}

// does has f called before each request from now on.
func (e *editor) does(f func(ctx context.Context, what, name string) error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.before = f
}

func (e *editor) ask(ctx context.Context, what, name string) error {
	e.mu.Lock()
	e.asked = append(e.asked, what+" "+name)
	before := e.before
	e.mu.Unlock()
	if before != nil {
		return before(ctx, what, name)
	}
	return nil
}

// requests are those since the last call.
func (e *editor) requests() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	asked := e.asked
	e.asked = nil
	return asked
}

func (e *editor) text(name string) string {
	p, err := e.read(name)
	if err != nil {
		return err.Error()
	}
	return string(p)
}

func (e *editor) read(name string) ([]byte, error) {
	f, err := e.fs.Open(name, vfs.How{Read: true})
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s, err := f.Stat()
	if err != nil {
		return nil, err
	}
	p := make([]byte, s.Size)
	n, err := f.ReadAt(p, 0)
	return p[:n], err
}

func (e *editor) write(name string, content []byte, create, overwrite bool) error {
	f, err := e.fs.Open(name, vfs.How{Write: true, Truncate: true, Create: create, Exclusive: !overwrite})
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteAt(content, 0)
	return err
}

func (e *editor) Stat(ctx context.Context, name string) (vfs.Stat, error) {
	if err := e.ask(ctx, "stat", name); err != nil {
		return vfs.Stat{}, err
	}
	s, err := e.fs.Lstat(name)
	s.Mode = 0
	return s, err
}

func (e *editor) ReadDirectory(ctx context.Context, name string) (list []vfs.Entry, err error) {
	if err := e.ask(ctx, "list", name); err != nil {
		return nil, err
	}
	d, err := e.fs.Open(name, vfs.How{Directory: true, Read: true})
	if err != nil {
		return nil, err
	}
	defer d.Close()
	all, err := d.ReadDir(2, 1000)
	for _, entry := range all {
		list = append(list, vfs.Entry{Name: entry.Name, Type: entry.Type})
	}
	return list, err
}

func (e *editor) ReadFile(ctx context.Context, name string) ([]byte, error) {
	if err := e.ask(ctx, "read", name); err != nil {
		return nil, err
	}
	return e.read(name)
}

func (e *editor) WriteFile(ctx context.Context, name string, content []byte, create, overwrite bool) error {
	if err := e.ask(ctx, "write", name); err != nil {
		return err
	}
	return e.write(name, content, create, overwrite)
}

func (e *editor) CreateDirectory(ctx context.Context, name string) error {
	return errors.Join(e.ask(ctx, "mkdir", name), e.fs.Mkdir(name, 0))
}

func (e *editor) Delete(ctx context.Context, name string) error {
	if err := e.ask(ctx, "delete", name); err != nil {
		return err
	}
	if err := e.fs.Unlink(name); err != errno.ISDIR {
		return err
	}
	return e.fs.Rmdir(name)
}

func (e *editor) Rename(ctx context.Context, old, new string) error {
	if err := e.ask(ctx, "rename", old); err != nil {
		return err
	}
	return e.fs.Rename(old, new)
}

// never is an answer that does not come.
func never(ctx context.Context, _, _ string) error {
	<-ctx.Done()
	return ctx.Err()
}

// A log keeps what a Provided tells.
type providedLog struct {
	mu      sync.Mutex
	changes []string
	failed  []*vfs.ProviderError
}

func (l *providedLog) options() vfs.ProviderOptions {
	return vfs.ProviderOptions{
		Changed: func(c vfs.Change, name string) {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.changes = append(l.changes, fmt.Sprint(c, " ", name))
		},
		Failed: func(e *vfs.ProviderError) {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.failed = append(l.failed, e)
		},
	}
}

func (l *providedLog) reasons() (list []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.failed {
		list = append(list, e.Reason)
	}
	return list
}

// TestProvidedWrites: what is written is with the Provider soon, and surely when it
// was settled; who opens the file meanwhile sees it at once.
func TestProvidedWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEditor(t, map[string]string{"a": "old text"})
		var log providedLog
		fs := vfs.Provide(e, log.options())
		f, err := fs.Open("a", vfs.How{Read: true, Write: true})
		must(t, err)
		_, err = f.WriteAt([]byte("new"), 0)
		must(t, err)
		if got := e.text("a"); got != "old text" {
			t.Errorf("at once it has %q", got)
		}
		if s, err := fs.Lstat("a"); err != nil || s.Size != 8 {
			t.Errorf("got %v, %v", s.Size, err)
		}
		other, err := fs.Open("a", vfs.How{Read: true, Append: true, Write: true})
		must(t, err)
		if got := contentOf(t, other); got != "new text" {
			t.Errorf("another reads %q", got)
		}
		time.Sleep(50 * time.Millisecond)
		if got := e.text("a"); got != "new text" {
			t.Errorf("soon it has %q", got)
		}
		_, err = other.WriteAt([]byte("!"), 0)
		must(t, err)
		must(t, f.Truncate(3))
		_, err = other.WriteAt([]byte("?"), 0)
		must(t, err)
		must(t, vfs.Settle(other, nil))
		if got := e.text("a"); got != "new?" {
			t.Errorf("settled it has %q", got)
		}
		// Without anybody who settles it.
		_, err = f.WriteAt([]byte("last"), 0)
		must(t, err)
		must(t, f.Close())
		must(t, other.Close())
		must(t, fs.Flush(t.Context()))
		if got := e.text("a"); got != "last" {
			t.Errorf("flushed it has %q", got)
		}
		if want := []string{"1 a", "1 a", "1 a"}; !slices.Equal(log.changes, want) {
			t.Errorf("changes %q, want %q", log.changes, want)
		}
		// Nothing is kept of it: what the editor has changed is seen.
		must(t, e.write("a", []byte("edited"), false, true))
		again, err := fs.Open("a", vfs.How{Read: true})
		must(t, err)
		if got := contentOf(t, again); got != "edited" {
			t.Errorf("it reads %q", got)
		}
		// Nor of one that is open, if it is announced.
		must(t, e.write("a", []byte("edited again"), false, true))
		fs.Announce(vfs.Changed, "a")
		synctest.Wait()
		if got := contentOf(t, again); got != "edited again" {
			t.Errorf("it reads %q", got)
		}
		must(t, again.Close())
	})
}

func contentOf(t *testing.T, f vfs.File) string {
	t.Helper()
	p := make([]byte, 100)
	n, err := f.ReadAt(p, 0)
	must(t, err)
	return string(p[:n])
}

// TestProvidedRename: files that are open follow their names, and are gone with
// them.
func TestProvidedRename(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEditor(t, map[string]string{"d/a": "a", "d/b": "b", "full/x": "x"})
		fs := vfs.Provide(e, vfs.ProviderOptions{})
		a, err := fs.Open("d/a", vfs.How{Read: true, Write: true})
		must(t, err)
		b, err := fs.Open("d/b", vfs.How{Read: true, Write: true})
		must(t, err)
		must(t, fs.SetMode("d/a", vfs.ModeKnown|0o755))
		_, err = a.WriteAt([]byte("A"), 0)
		must(t, err)
		must(t, fs.Rename("d", "moved"))
		_, err = a.WriteAt([]byte("AA"), 0)
		must(t, err)
		must(t, fs.Rename("moved/a", "moved/b"))
		_, err = b.WriteAt([]byte("lost"), 0)
		must(t, err)
		must(t, a.Close())
		must(t, b.Close())
		must(t, fs.Flush(t.Context()))
		if got := e.text("moved/b"); got != "AA" {
			t.Errorf("got %q", got)
		}
		if s, err := fs.Lstat("moved/b"); err != nil || s.Mode != vfs.ModeKnown|0o755 {
			t.Errorf("its mode is %o, %v", s.Mode, err)
		}
		for _, c := range []struct {
			old, new string
			want     error
		}{
			{"moved", "full", errno.NOTEMPTY},
			{"moved/b", "full", errno.ISDIR},
			{"full", "moved/b", errno.NOTDIR},
			{"full", "full/in", errno.INVAL},
			{".", "x", errno.BUSY},
			{"none", "x", errno.NOENT},
			{"full", "full", nil},
		} {
			if err := fs.Rename(c.old, c.new); err != c.want {
				t.Errorf("%s to %s: got %v, want %v", c.old, c.new, err, c.want)
			}
		}
		// What is written to a file that was removed does not bring it back.
		gone, err := fs.Open("full/x", vfs.How{Read: true, Write: true})
		must(t, err)
		_, err = gone.WriteAt([]byte("y"), 0)
		must(t, err)
		must(t, fs.Unlink("full/x"))
		_, err = gone.WriteAt([]byte("z"), 1)
		must(t, err)
		if got := contentOf(t, gone); got != "yz" {
			t.Errorf("it reads %q", got)
		}
		must(t, gone.Close())
		time.Sleep(time.Second)
		must(t, fs.Rmdir("full"))
	})
}

// TestProvidedFails: what the Provider says is what who asked is told, and nothing
// else breaks.
func TestProvidedFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEditor(t, map[string]string{"a": "a", "d/b": "b"})
		var log providedLog
		fs := vfs.Provide(e, log.options())
		failing := errors.New("it has thrown")
		for _, c := range []struct {
			says, want error
			reasons    []string
		}{
			{errno.ACCES, errno.ACCES, nil},
			{errno.SUCCESS, errno.IO, []string{"provider_failed"}},
			{failing, errno.IO, nil}, // it was told before
		} {
			e.does(func(_ context.Context, what, name string) error {
				if what == "stat" {
					return c.says
				}
				return nil
			})
			for range 3 {
				if _, err := fs.Lstat("a"); err != c.want {
					t.Errorf("%v: got %v, want %v", c.says, err, c.want)
				}
			}
			if _, err := fs.Open("a", vfs.How{Read: true}); err != c.want {
				t.Errorf("%v: open: got %v, want %v", c.says, err, c.want)
			}
			if got := log.reasons(); !slices.Equal(got, c.reasons) {
				t.Errorf("%v: told %q, want %q", c.says, got, c.reasons)
			}
			log.failed = nil
		}
		e.does(nil)
		_, err := fs.Lstat("a")
		must(t, err)

		// A writer is told when it settles, and when it writes on. What is lost is told.
		f, err := fs.Open("a", vfs.How{Write: true})
		must(t, err)
		e.does(func(_ context.Context, what, name string) error {
			if what == "write" {
				return errno.ACCES
			}
			return nil
		})
		_, err = f.WriteAt([]byte("b"), 0)
		must(t, err)
		if err := vfs.Settle(f, nil); err != errno.ACCES {
			t.Errorf("settle: got %v", err)
		}
		must(t, f.Close())
		if got := log.reasons(); !slices.Equal(got, []string{"provider_lost"}) {
			t.Errorf("told %q", got)
		}
		log.failed = nil
		f, err = fs.Open("a", vfs.How{Write: true})
		must(t, err)
		_, err = f.WriteAt([]byte("b"), 0)
		must(t, err)
		time.Sleep(time.Second)
		if _, err := f.WriteAt([]byte("b"), 0); err != errno.ACCES {
			t.Errorf("the next write: got %v", err)
		}
		_, err = f.WriteAt([]byte("b"), 0)
		must(t, err)
		must(t, f.Close())
		must(t, fs.Flush(t.Context()))
		if got := log.reasons(); !slices.Equal(got, []string{"provider_lost"}) {
			t.Errorf("told %q", got)
		}
		e.does(nil)
		if got := e.text("a"); got != "a" {
			t.Errorf("it has %q", got)
		}
	})
}

// TestProvidedNever: an answer that does not come is ETIMEDOUT after a time. Who
// does not want it any longer is free at once, and nothing is held of it.
func TestProvidedNever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEditor(t, map[string]string{"a": "a"})
		var log providedLog
		o := log.options()
		o.Quota = vfs.NewQuota(1<<20, 100)
		fs := vfs.Provide(e, o)
		e.does(never)
		began := time.Now()
		if _, err := fs.Open("a", vfs.How{Read: true}); err != errno.TIMEDOUT || time.Since(began) != 10*time.Second {
			t.Errorf("got %v after %v", err, time.Since(began))
		}
		if got := log.reasons(); !slices.Equal(got, []string{"provider_timeout"}) {
			t.Errorf("told %q", got)
		}
		answer := make(chan struct{})
		e.does(func(ctx context.Context, what, name string) error {
			<-answer
			return nil
		})
		tree := newTree(t, map[string]vfs.FS{"/": memory(), "/work": fs})
		killed := errors.New("killed")
		wait := func(f func()) error {
			go f()
			return killed
		}
		at := vfs.Path{Dir: "/", Name: "work/a", Wait: wait}
		if _, _, err := tree.Open(at, vfs.How{Read: true}); err != killed {
			t.Errorf("got %v", err)
		}
		sub := newTree(t, map[string]vfs.FS{"/work": vfs.ReadOnly(vfs.Sub(tree, "/work"))})
		if _, err := sub.Stat(at); err != killed {
			t.Errorf("in a tree of it: got %v", err)
		}
		refused := errors.New("it must not wait")
		at.Wait = func(func()) error { return refused }
		e.requests()
		if err := tree.Mkdir(vfs.Path{Dir: "/work", Name: "d", Wait: at.Wait}, 0); err != refused || len(e.requests()) > 0 {
			t.Errorf("got %v", err)
		}
		close(answer)
		synctest.Wait()
		if bytes, names := o.Quota.Used(); bytes != 0 || names != 0 {
			t.Errorf("%d bytes and %d names are held", bytes, names)
		}
	})
}

// TestProvidedRequests: only so many requests are under way.
func TestProvidedRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEditor(t, map[string]string{"a": "a"})
		fs := vfs.Provide(e, vfs.ProviderOptions{Requests: 4})
		e.does(never)
		for range 100 {
			go fs.Lstat("a")
		}
		synctest.Wait()
		if n := len(e.requests()); n != 4 {
			t.Errorf("%d requests at once, want 4", n)
		}
		e.does(nil)
		time.Sleep(time.Minute)
		_, err := fs.Lstat("a")
		must(t, err)
	})
}

// A liar answers what can't be.
type liar struct {
	*editor
	stat    vfs.Stat
	entries []vfs.Entry
	data    []byte
}

func (l *liar) Stat(context.Context, string) (vfs.Stat, error) { return l.stat, nil }
func (l *liar) ReadDirectory(context.Context, string) ([]vfs.Entry, error) {
	return l.entries, nil
}
func (l *liar) ReadFile(context.Context, string) ([]byte, error) { return l.data, nil }

// TestProvidedLies: what can't be is EIO, what is too much is refused, and sizes are
// those of what there is.
func TestProvidedLies(t *testing.T) {
	l := &liar{editor: newEditor(t, nil)}
	var log providedLog
	o := log.options()
	o.Quota, o.MaxFile, o.MaxNames = vfs.NewQuota(1000, 10), 2000, 3
	fs := vfs.Provide(l, o)
	for _, s := range []vfs.Stat{{}, {Type: 99}, {Type: vfs.CharacterDevice}, {Type: vfs.RegularFile, Size: 1 << 63}} {
		l.stat = s
		if _, err := fs.Lstat("a"); err != errno.IO {
			t.Errorf("%v: got %v", s, err)
		}
	}
	l.stat = vfs.Stat{Type: vfs.Directory}
	list := func() ([]vfs.Entry, error) {
		d, err := fs.Open("d", vfs.How{Read: true, Directory: true})
		must(t, err)
		defer d.Close()
		if err := vfs.Settle(d, nil); err != nil {
			return nil, err
		}
		return d.ReadDir(0, 100)
	}
	for _, name := range []string{"", ".", "..", "a/b", "/", "a\x00", strings.Repeat("x", 256), "../../etc"} {
		l.entries = []vfs.Entry{{Name: "ok", Type: vfs.RegularFile}, {Name: name, Type: vfs.RegularFile}}
		if _, err := list(); err != errno.IO {
			t.Errorf("%q: got %v", name, err)
		}
	}
	l.entries = []vfs.Entry{{Name: "a", Type: 77}, {Name: "a", Type: vfs.Directory}, {Name: "\xff"}}
	if all, err := list(); err != nil || len(all) != 3 || all[2].Name != "a" || all[2].Type != vfs.Unknown {
		t.Errorf("got %v, %v", all, err)
	}
	l.entries = make([]vfs.Entry, 4)
	if _, err := list(); err != errno.OVERFLOW {
		t.Errorf("too many names: got %v", err)
	}
	l.stat = vfs.Stat{Type: vfs.RegularFile, Size: 1e9}
	l.data = []byte("short")
	f, err := fs.Open("a", vfs.How{Read: true})
	must(t, err)
	if s, _ := f.Stat(); s.Size != 5 {
		t.Errorf("its size is %d", s.Size)
	}
	must(t, f.Close())
	l.data = make([]byte, 1500)
	if _, err := fs.Open("a", vfs.How{Read: true}); err != errno.NOMEM {
		t.Errorf("more than there is room for: got %v", err)
	}
	l.data = make([]byte, 2001)
	if _, err := fs.Open("a", vfs.How{Read: true}); err != errno.FBIG {
		t.Errorf("too large: got %v", err)
	}
	l.stat = vfs.Stat{Type: vfs.RegularFile, Mode: vfs.ModeKnown | 0o444}
	if _, err := fs.Open("a", vfs.How{Write: true}); err != errno.ACCES {
		t.Errorf("a file that is read-only: got %v", err)
	}
	l.stat = vfs.Stat{Type: vfs.SymbolicLink}
	if _, err := fs.Open("a", vfs.How{Read: true}); err != errno.LOOP {
		t.Errorf("a link: got %v", err)
	}
	if _, err := fs.Readlink("a"); err != errno.NOTSUP {
		t.Errorf("readlink: got %v", err)
	}
	if bytes, names := o.Quota.Used(); bytes != 0 || names != 0 {
		t.Errorf("%d bytes and %d names are held", bytes, names)
	}
	if got := log.reasons(); !slices.Equal(got, []string{"provider_invalid", "provider_invalid"}) {
		t.Errorf("told %q", got) // of stat, and of readDirectory
	}
}

// TestProvidedAsMemory: by random calls, the files of a Provider are what those in
// memory are, errors and all, and in the end the Provider has them.
func TestProvidedAsMemory(t *testing.T) {
	for seed := range uint64(30) {
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 1))
			e := newEditor(t, nil)
			e.does(func(context.Context, string, string) error {
				if rand.IntN(4) == 0 {
					time.Sleep(time.Millisecond * time.Duration(rand.IntN(20)))
				}
				return nil
			})
			quota := vfs.NewQuota(1<<20, 1000)
			provided, want := vfs.Provide(e, vfs.ProviderOptions{Quota: quota}), memory()
			both := [2]vfs.FS{provided, want}
			name := func() string { return []string{"a", "b", "d", "d/a", "d/e", "d/e/c"}[r.IntN(6)] }
			var open [][2]vfs.File
			for step := range 400 {
				var told [2]string
				var what string
				n, m := name(), name()
				switch op := r.IntN(12); op {
				case 0, 1:
					how := vfs.How{
						Read: true, Write: r.IntN(2) == 0, Create: r.IntN(2) == 0, Exclusive: r.IntN(8) == 0,
						Truncate: r.IntN(4) == 0, Append: r.IntN(8) == 0, Mode: vfs.ModeKnown | vfs.Mode(0o600+r.IntN(0o200)),
					}
					what = fmt.Sprintf("open %s %+v", n, how)
					var files [2]vfs.File
					for i, fs := range both {
						f, err := fs.Open(n, how)
						if told[i] = fmt.Sprint(err); err == nil {
							s, err := f.Stat()
							told[i] += fmt.Sprint(s.Type, s.Mode, s.Size, err)
							files[i] = f
						}
					}
					if files[0] != nil && files[1] != nil {
						open = append(open, files)
					}
				case 2, 3, 4, 5, 6:
					if len(open) == 0 {
						continue
					}
					i := r.IntN(len(open))
					p, at := []byte(fmt.Sprint(step)), int64(r.IntN(20))
					what = []string{"", "", "write", "read", "truncate", "close", "stat"}[op]
					for j, f := range open[i] {
						b := make([]byte, 30)
						var n int
						var err error
						switch what {
						case "write":
							n, err = f.WriteAt(p, at)
						case "read":
							n, err = f.ReadAt(b, at)
						case "truncate":
							err = f.Truncate(at)
						case "close":
							err = f.Close()
						case "stat":
							var s vfs.Stat
							if s, err = f.Stat(); s.Type == vfs.RegularFile {
								n = int(s.Size)<<16 | int(s.Mode)
							}
						}
						told[j] = fmt.Sprint(n, err, b[:max(n, 0)%30])
					}
					if what == "close" {
						open = slices.Delete(open, i, i+1)
					}
				default:
					mode := vfs.ModeKnown | vfs.Mode(r.IntN(0o1000))
					what = fmt.Sprintf("%s %s %s", []string{"mkdir", "unlink", "rmdir", "rename", "mode"}[op-7], n, m)
					for i, fs := range both {
						err := []func() error{
							func() error { return fs.Mkdir(n, mode) },
							func() error { return fs.Unlink(n) },
							func() error { return fs.Rmdir(n) },
							func() error { return fs.Rename(n, m) },
							func() error { return fs.SetMode(n, mode) },
						}[op-7]()
						if op == 10 && err != nil {
							err = errno.INVAL // which of two faults is told is not said
						}
						s, e2 := fs.Lstat(n)
						told[i] = fmt.Sprint(err, s.Type, s.Mode, e2)
					}
				}
				if told[0] != told[1] {
					t.Fatalf("seed %d, step %d: %s: got %s, in memory %s", seed, step, what, told[0], told[1])
				}
			}
			for _, files := range open {
				must(t, files[0].Close())
			}
			must(t, provided.Flush(t.Context()))
			for _, name := range []string{"a", "b", "d", "d/a", "d/e", "d/e/c"} {
				m := editor{fs: want}
				if got, want := e.text(name), m.text(name); got != want {
					t.Errorf("seed %d: %s has %q, want %q", seed, name, got, want)
				}
			}
			if bytes, _ := quota.Used(); bytes != 0 {
				t.Errorf("seed %d: %d bytes are held", seed, bytes)
			}
		})
	}
}
