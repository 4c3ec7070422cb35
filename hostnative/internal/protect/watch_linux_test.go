package protect

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// watched returns a bench whose Snapshot watches.
func watched(t *testing.T, files map[string]string) *bench {
	t.Helper()
	b := newBench(t, files)
	b.take(Limits{})
	b.check(b.s.Update(t.Context()))
	if b.s.unwatchable {
		t.Skip("NOT RUN: no inotify here")
	}
	if !b.s.quiet() {
		t.Fatal("nothing has happened, and it is not quiet")
	}
	return b
}

// Where nothing has happened nothing is looked at; whatever has is found as without a watch.
func TestWatch(t *testing.T) {
	files := repository(".git")
	files[".git/hooks/pre-commit"] = "good"
	files["node_modules/a/"] = ""
	files["pkg/"] = ""
	hook := ".git/hooks/pre-commit"
	for name, test := range map[string]struct {
		do   func(b *bench)
		told string
	}{
		"written": {func(b *bench) { b.write(hook, "evil") }, hook + ": changed, put back"},
		"made":    {func(b *bench) { b.write("pkg/.envrc", "evil") }, "pkg/.envrc: created, taken away"},
		"renamed": {func(b *bench) { b.check(os.Rename(b.path(hook), b.path("node_modules/a/b"))) }, hook + ": removed, put back"},
		"chmod":   {func(b *bench) { b.check(os.Chmod(b.path(hook), 0o755)) }, hook + ": mode, put back"},
		"elsewhere": {func(b *bench) { // by a name that is in no directory that is watched
			b.check(os.Link(b.path(hook), b.path("node_modules/a/b")))
			b.write("node_modules/a/b", "evil")
		}, hook + ": changed, put back"},
		"a directory": {func(b *bench) { b.write(".claude/hooks/x", "evil") }, ".claude/hooks/x: created, taken away"},
		"mapped": {func(b *bench) {
			f, err := os.OpenFile(b.path(hook), os.O_RDWR, 0)
			b.check(err)
			m, err := unix.Mmap(int(f.Fd()), 0, 4, unix.PROT_WRITE|unix.PROT_READ, unix.MAP_SHARED)
			b.check(err)
			b.check(f.Close())
			b.s.quiet() // so far nothing has
			copy(m, "evil")
			b.check(unix.Munmap(m))
		}, hook + ": changed, put back"},
	} {
		t.Run(name, func(t *testing.T) {
			b := watched(t, files)
			test.do(b)
			b.want(test.told)
			if !b.s.quiet() {
				t.Error("what was put back is not watched")
			}
			b.write(hook, "again") // in the new file
			b.want(hook + ": changed, put back")
		})
	}
}

// Too many events to hold mean a walk.
func TestWatchOverflow(t *testing.T) {
	b := watched(t, repository(".git"))
	for range 6000 { // with three events each, more than fs.inotify.max_queued_events by default
		b.write("x", "")
		b.check(os.Remove(b.path("x")))
	}
	b.write(".envrc", "evil")
	b.want(".envrc: created, taken away")
	b.check(b.s.Update(t.Context()))
	b.write(".envrc", "evil")
	b.want(".envrc: created, taken away")
}
