//go:build linux || darwin

package guard

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/hostnative/internal/protect"
)

// A world is a workspace with repositories in it, and where guards keep what they know.
type world struct {
	*testing.T
	root, state string
}

func newWorld(t *testing.T, repositories ...string) world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := world{t, filepath.Join(dir, "root"), filepath.Join(dir, "state")}
	for _, r := range append(repositories, ".") {
		for _, name := range []string{"hooks", "objects", "refs"} {
			if err := os.MkdirAll(filepath.Join(w.root, r, ".git", name), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		w.write(r+"/.git/HEAD", "ref: refs/heads/main\n")
		w.write(r+"/.git/config", "[core]\n")
	}
	return w
}

func (w world) path(name string) string { return filepath.Join(w.root, name) }

func (w world) write(name, data string) {
	w.Helper()
	if err := os.WriteFile(w.path(name), []byte(data), 0o644); err != nil {
		w.Fatal(err)
	}
}

// wantFile wants a file to have this in it, or if that is "" not to be there.
func (w world) wantFile(name, want string) {
	w.Helper()
	data, err := os.ReadFile(w.path(name))
	if string(data) != want || (err == nil) != (want != "") {
		w.Errorf("%s: got %q, %v, want %q", name, data, err, want)
	}
}

// guard is that of another program, as far as guards can tell.
func (w world) guard() *Guard {
	g := New(Config{State: w.state, Patience: time.Minute})
	w.Cleanup(g.Close)
	return g
}

func (w world) begin(g *Guard, roots ...string) *Use {
	w.Helper()
	for i := range roots {
		roots[i] = w.path(roots[i])
	}
	u, err := g.Begin(w.Context(), roots)
	if err != nil {
		w.Fatal(err)
	}
	return u
}

// end wants a command's end to tell these: "name: kind", in any order.
func (w world) end(u *Use, want ...string) { w.Helper(); w.told(u.End, want) }

func (w world) compare(u *Use, want ...string) { w.Helper(); w.told(u.Compare, want) }

func (w world) told(do func(context.Context) ([]protect.Change, error), want []string) {
	w.Helper()
	changes, err := do(w.Context())
	if err != nil {
		w.Error(err)
	}
	var got []string
	for _, c := range changes {
		got = append(got, strings.TrimPrefix(c.Path, w.root+"/")+": "+string(c.Kind))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		w.Errorf("got %q, want %q", got, want)
	}
}

// each runs a test with two commands of one program, and of two.
func each(t *testing.T, test func(w world, a, b *Guard), repositories ...string) {
	t.Run("one", func(t *testing.T) {
		w := newWorld(t, repositories...)
		g := w.guard()
		test(w, g, g)
	})
	t.Run("two", func(t *testing.T) {
		w := newWorld(t, repositories...)
		test(w, w.guard(), w.guard())
	})
}

const hook = ".git/hooks/pre-commit"

// What the first command has written is not what the second has found.
func TestOverlap(t *testing.T) {
	each(t, func(w world, ga, gb *Guard) {
		a := w.begin(ga, ".")
		w.write(hook, "evil")
		b := w.begin(gb, ".")
		w.end(a, hook+": created")
		w.wantFile(hook, "")
		w.end(b)
		w.wantFile(hook, "")
	})
}

// What the second one writes after the first has ended is put back all the same.
func TestSecondGoesOn(t *testing.T) {
	each(t, func(w world, ga, gb *Guard) {
		w.write(hook, "good")
		a := w.begin(ga, ".")
		b := w.begin(gb, ".")
		w.end(a)
		w.write(hook, "evil")
		c := w.begin(ga, ".")
		w.compare(c, hook+": changed")
		w.wantFile(hook, "good")
		w.write(hook, "worse")
		w.end(b, hook+": changed")
		w.end(c)
		w.wantFile(hook, "good")
	})
}

// Directories that are in one another have one base for each file.
func TestNested(t *testing.T) {
	inner := "sub/" + hook
	each(t, func(w world, ga, gb *Guard) {
		in := w.begin(ga, "sub")
		w.write(inner, "evil")
		out := w.begin(gb, ".")
		w.write(hook, "evil")
		w.end(in, inner+": created")
		w.write(inner, "evil again")
		again := w.begin(ga, "sub")
		w.end(again, inner+": created")
		w.write(inner, "evil again")
		w.end(out, inner+": created", hook+": created")
		w.wantFile(inner, "")
		w.wantFile(hook, "")
	}, "sub")
	each(t, func(w world, ga, gb *Guard) { // the other way round
		out := w.begin(ga, ".")
		w.write(inner, "evil")
		in := w.begin(gb, "sub")
		w.end(out, inner+": created")
		w.write(inner, "evil again")
		w.end(in, inner+": created")
		w.wantFile(inner, "")
	}, "sub")
}

// What a person does while no command runs is theirs, also after others have looked.
func TestBetween(t *testing.T) {
	each(t, func(w world, ga, gb *Guard) {
		for i, text := range []string{"one", "two", "three"} {
			w.write(hook, text)
			u := w.begin([]*Guard{ga, gb, ga}[i], ".")
			w.end(u)
			w.wantFile(hook, text)
		}
	})
}

// What is closed leaves nothing behind.
func TestNothingLeft(t *testing.T) {
	each(t, func(w world, ga, gb *Guard) {
		a, b := w.begin(ga, "."), w.begin(gb, ".")
		w.end(a)
		w.end(b)
		w.end(b) // more often does nothing
		ga.Close()
		gb.Close()
		left, err := os.ReadDir(filepath.Join(w.state, "areas"))
		if err != nil || len(left) > 0 {
			t.Errorf("got %v, %v, want nothing", left, err)
		}
	})
}

// A directory that another one has taken the place of is looked after anew.
func TestReplaced(t *testing.T) {
	w := newWorld(t, "sub")
	g := w.guard()
	a := w.begin(g, "sub")
	if err := os.Rename(w.path("sub"), w.path("old")); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(w.path("sub/.git/hooks"), 0o755); err != nil {
		t.Fatal(err)
	}
	b := w.begin(g, "sub")
	w.write("sub/"+hook, "evil")
	w.end(b, "sub/"+hook+": created")
	w.wantFile("sub/"+hook, "")
	w.end(a, "sub: removed")
}

// What dead programs have left is cleared away, and does not count.
func TestLeftBehind(t *testing.T) {
	w := newWorld(t)
	a := w.begin(w.guard(), ".")
	a.areas[0].users.Close() // as the end of the program does
	a.areas[0].users = nil
	w.write(hook, "a person's")
	b := w.begin(w.guard(), ".")
	w.end(b)
	w.wantFile(hook, "a person's")
}

// A lock that is not given back is told with who has it, and holds nobody up for long.
func TestHeld(t *testing.T) {
	w := newWorld(t)
	g := New(Config{State: w.state, Patience: time.Millisecond})
	defer g.Close()
	u := w.begin(g, ".")
	for name, try := range map[string]func() error{
		"lock": func() error { _, err := g.Begin(t.Context(), []string{t.TempDir()}); return err },
		u.areas[0].dir[len(w.state)+1:] + "/work": func() error { _, err := u.End(t.Context()); return err },
	} {
		f, err := os.OpenFile(filepath.Join(w.state, name), os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := flock(f, unix.LOCK_EX); err != nil {
			t.Fatal(err)
		}
		f.WriteString("4711      ")
		if err := try(); err == nil || !strings.Contains(err.Error(), "process 4711 has locked ") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// Of commands that end at once one compares for all who have waited for that.
func TestEndAtOnce(t *testing.T) {
	w := newWorld(t)
	u, err := New(Config{State: w.state}).Begin(t.Context(), []string{w.root})
	if err != nil {
		t.Fatal(err)
	}
	defer u.End(t.Context())
	a := u.areas[0]
	asked := a.begun.Load()
	compare := func(ctx context.Context, asked uint64, want int) {
		t.Helper()
		changes, err := a.compareSince(ctx, time.Second, asked)
		if len(changes) != want || (err != nil) != (ctx.Err() != nil) {
			t.Errorf("got %v, %v, want %d changes", changes, err, want)
		}
	}
	w.write(".npmrc", "evil")
	compare(t.Context(), asked, 1)
	w.write(".npmrc", "evil")
	compare(t.Context(), asked, 0) // it was done for this one, too
	w.wantFile(".npmrc", "evil")
	over, cancel := context.WithCancel(t.Context())
	cancel()
	compare(over, a.begun.Load(), 0) // which fails, so
	compare(t.Context(), asked, 1)   // nothing was done for this one
	w.wantFile(".npmrc", "")
}
