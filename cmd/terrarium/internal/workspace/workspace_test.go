package workspace_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/workspace"
)

// write makes files, by their paths. "-> X" is a symbolic link to X, and what begins with "#!" is
// executable.
func write(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		p := filepath.Join(dir, name)
		err := os.MkdirAll(filepath.Dir(p), 0o777)
		text := files[name]
		target, isLink := strings.CutPrefix(text, "-> ")
		switch {
		case err != nil:
		case isLink:
			err = os.Symlink(target, p)
		case strings.HasPrefix(text, "#!"):
			err = os.WriteFile(p, []byte(text), 0o755)
		default:
			err = os.WriteFile(p, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// read returns what write makes.
func read(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, _ := filepath.Rel(dir, p)
		if d.Type() == fs.ModeSymlink {
			target, err := os.Readlink(p)
			files[name] = "-> " + target
			return err
		}
		text, err := os.ReadFile(p)
		files[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// scan looks at all of a directory.
func scan(t testing.TB, dir string) workspace.Listing {
	t.Helper()
	s, err := workspace.ScanAll(openRoot(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	return s.Listing
}

// bring makes changes in one directory to what is in another.
func bring(t testing.TB, from, to string, changes []workspace.Change) error {
	t.Helper()
	var b bytes.Buffer
	if err := workspace.Pack(&b, openRoot(t, from), changes, nil, nil); err != nil {
		t.Fatal(err)
	}
	return receive(openRoot(t, to), &b, workspace.Options{})
}

// What is handed over is the same there, again after changes of each kind.
func TestHandOver(t *testing.T) {
	near, far := t.TempDir(), t.TempDir()
	write(t, near, map[string]string{"a": "1", "d/b": "2", "d/e/x": "#!x", "l": "-> d/b", "gone": "3", "f": "4", "t/u": "5", "é ü": "6", "out": "-> /etc"})
	base := workspace.Listing{}
	sync := func() {
		t.Helper()
		plan := workspace.HandOver(base, scan(t, near), scan(t, far))
		if err := bring(t, near, far, plan.Changes); err != nil || len(plan.Conflicts) > 0 {
			t.Fatalf("got %v and %v", err, plan.Conflicts)
		}
		base = scan(t, near)
	}
	sync()
	if got, want := read(t, far), read(t, near); !maps.Equal(got, want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	if info, err := os.Stat(filepath.Join(far, "d/e/x")); err != nil || info.Mode()&0o111 == 0 {
		t.Errorf("got %v and %v, want it executable", info, err)
	}

	// A file becomes a directory, and a directory a file; one is removed, with the last one beside
	// it.
	for _, name := range []string{"gone", "f", "t", "d/e"} {
		os.RemoveAll(filepath.Join(near, name))
	}
	write(t, near, map[string]string{"f/g": "7", "t": "8", "a": "9"})
	write(t, far, map[string]string{"theirs": "10"})
	sync()
	want := read(t, near)
	want["theirs"] = "10"
	if got := read(t, far); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if _, err := os.Lstat(filepath.Join(far, "d/e")); err == nil {
		t.Error("an empty directory is left")
	}

	// Nothing is sent where nothing was changed.
	if plan := workspace.HandOver(base, scan(t, near), scan(t, far)); len(plan.Changes) > 0 {
		t.Errorf("got %v, want nothing to send", plan.Changes)
	}
}

// In a git tree, where no directory is listed, a directory may become a file or a link, and the
// other way round. What is in it besides stays, and then all does.
func TestDirectoryToFile(t *testing.T) {
	files := func(dir string) workspace.Listing {
		l := scan(t, dir)
		maps.DeleteFunc(l, func(p string, e workspace.Entry) bool {
			return e.Kind == workspace.Dir || strings.Contains(p, "ignored")
		})
		return l
	}
	for name, c := range map[string]struct{ was, now map[string]string }{
		"file":           {map[string]string{"d/a": "1", "b": "2"}, map[string]string{"d": "3", "b": "2"}},
		"link":           {map[string]string{"d/a": "1", "b": "2"}, map[string]string{"d": "-> b", "b": "2"}},
		"deep":           {map[string]string{"d/e/a": "1", "d/f/g/a": "2", "d-x": "3"}, map[string]string{"d": "#!4", "d-x": "5"}},
		"inner":          {map[string]string{"d/e/a": "1", "d/b": "2"}, map[string]string{"d/e": "3", "d/b": "2"}},
		"file to dir":    {map[string]string{"d": "1"}, map[string]string{"d/a": "2", "d/e/b": "3"}},
		"link to dir":    {map[string]string{"d": "-> b", "b": "1"}, map[string]string{"d/a": "2", "b": "1"}},
		"link to itself": {map[string]string{"d": "-> b", "b/a": "1"}, map[string]string{"d/a": "2", "b/a": "1"}},
		"link to / ":     {map[string]string{"d": "-> /", "b": "1"}, map[string]string{"d/etc": "2", "b": "1"}},
		"one to another": {map[string]string{"d/a": "1", "e": "2"}, map[string]string{"d": "1", "e/a": "2"}},
	} {
		t.Run(name, func(t *testing.T) {
			from, to := t.TempDir(), t.TempDir()
			write(t, from, c.now)
			write(t, to, c.was)
			if strings.HasPrefix(name, "deep") {
				if err := os.MkdirAll(filepath.Join(to, "d/empty/too"), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			plan := workspace.HandOver(files(to), files(from), files(to))
			if err := bring(t, from, to, plan.Changes); err != nil || len(plan.Conflicts) > 0 {
				t.Fatalf("got %v and %v", err, plan.Conflicts)
			}
			if got := read(t, to); !maps.Equal(got, c.now) {
				t.Errorf("got %v, want %v", got, c.now)
			}
			if _, there := c.now["d"]; !there {
				return
			}
			// And what is ignored in it?
			to = t.TempDir()
			write(t, to, c.was)
			write(t, to, map[string]string{"d/z/ignored": "precious"})
			before := read(t, to)
			err := bring(t, from, to, plan.Changes)
			if got := read(t, to); err == nil || err.Error() != "d: a directory is there, with ignored, which stays: move it elsewhere, or remove it" || !maps.Equal(got, before) {
				t.Errorf("got %v and %v, want %v as before", err, got, before)
			}
		})
	}
}

// A conflict, and what else fails in between, changes nothing.
func TestNothingHalf(t *testing.T) {
	near, far := t.TempDir(), t.TempDir()
	write(t, near, map[string]string{"a": "1", "b": "2", "z/c": "3"})
	changes := workspace.HandOver(workspace.Listing{}, scan(t, near), workspace.Listing{}).Changes
	for name, files := range map[string]map[string]string{
		"a file":      {"b": "other"},
		"a parent":    {"z": "a file"},
		"a link":      {"z": "-> ."},
		"a directory": {"b/x": "y"},
	} {
		to := filepath.Join(far, name)
		write(t, to, files)
		before := read(t, to)
		err := bring(t, near, to, changes)
		if got := read(t, to); err == nil || !maps.Equal(got, before) {
			t.Errorf("%s: got %v and %v, want %v as before", name, err, got, before)
		}
	}
	to := filepath.Join(far, "a file")
	if err := bring(t, near, to, changes); err == nil || err.Error() != "changed on both sides: b" {
		t.Errorf("got %v, want the conflict named", err)
	}
}

// Who reads a file is told nothing new: its permissions stay, but for those to execute it.
func TestPermissions(t *testing.T) {
	near, far := t.TempDir(), t.TempDir()
	write(t, near, map[string]string{"a": "1"})
	write(t, far, map[string]string{"a": "0"})
	if err := os.Chmod(filepath.Join(far, "a"), 0o640); err != nil {
		t.Fatal(err)
	}
	base := scan(t, far)
	for _, c := range []struct{ near, want os.FileMode }{{0o644, 0o640}, {0o755, 0o750}, {0o644, 0o640}} {
		if err := os.Chmod(filepath.Join(near, "a"), c.near); err != nil {
			t.Fatal(err)
		}
		if err := bring(t, near, far, workspace.HandOver(base, scan(t, near), scan(t, far)).Changes); err != nil {
			t.Fatal(err)
		}
		base = scan(t, near)
		if info, err := os.Stat(filepath.Join(far, "a")); err != nil || info.Mode().Perm() != c.want {
			t.Errorf("got %v and %v, want %v", info.Mode(), err, c.want)
		}
	}
}

// A plan says of each path who has changed it.
func TestPlan(t *testing.T) {
	e := func(s string) workspace.Entry {
		if s == "" {
			return workspace.Entry{}
		}
		return workspace.Entry{Kind: workspace.Link, Target: s}
	}
	for _, c := range []struct {
		base, near, far      string
		over, pull, conflict bool
	}{
		{base: "", near: "n", far: "", over: true},
		{base: "b", near: "n", far: "b", over: true},
		{base: "b", near: "", far: "b", over: true},
		{base: "b", near: "b", far: "f", pull: true},
		{base: "b", near: "b", far: "", pull: true},
		{base: "", near: "", far: "f", pull: true},
		{base: "b", near: "n", far: "f", conflict: true},
		{base: "b", near: "", far: "f", conflict: true},
		{base: "", near: "n", far: "f", conflict: true},
		{base: "b", near: "x", far: "x"}, {base: "", near: "x", far: "x"}, {base: "b", near: "b", far: "b"}, {base: "b"},
	} {
		of := func(s string) workspace.Listing {
			l := workspace.Listing{"p": e(s)}
			if s == "" {
				delete(l, "p")
			}
			return l
		}
		over := workspace.HandOver(of(c.base), of(c.near), of(c.far))
		pull := workspace.Pull(of(c.base), of(c.near), of(c.far))
		if len(over.Changes) > 0 != c.over || len(pull.Changes) > 0 != c.pull || len(over.Conflicts) > 0 != c.conflict || len(pull.Conflicts) > 0 != c.conflict {
			t.Errorf("%+v: got %v and %v", c, over, pull)
		}
		for _, change := range workspace.Drop(of(c.base), of(c.near), of(c.far)) {
			if change.Was != e(c.far) || change.Now != e(c.near) || !c.pull && !c.conflict {
				t.Errorf("%+v: to drop it, got %v", c, change)
			}
		}
	}
}

// gitTree makes a git tree, with one commit.
func gitTree(t *testing.T) (dir string, git func(args ...string) string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("NOT RUN: there is no git")
	}
	dir = t.TempDir()
	for _, name := range []string{"HOME", "XDG_CONFIG_HOME"} { // nothing is the user's own
		t.Setenv(name, t.TempDir())
	}
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	git = func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "--quiet", "--initial-branch=topic/x")
	write(t, dir, map[string]string{"a": "1\n", "d/b": "#!2\n", "l": "-> a", "gone": "3\n", ".gitignore": "ignored\n"})
	git("add", "-A")
	git("commit", "--quiet", "-m", "one")
	return dir, git
}

// The history goes over once, files as in HEAD come from it, and the repository there is clean.
func TestHistory(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	dir, git := gitTree(t)
	far, err := workspace.OpenFar("0123456789abcdef")
	if err != nil {
		t.Fatal(err)
	}
	defer far.Close()
	ctx := context.Background()
	var theirs workspace.FarState
	base := workspace.Listing{}
	sync := func() (sent int) {
		t.Helper()
		tree, err := workspace.OpenTree(ctx, dir)
		if err != nil {
			t.Fatal(err)
		}
		names, blobs, err := tree.Names(ctx)
		if err != nil {
			t.Fatal(err)
		}
		here, err := workspace.ScanNames(openRoot(t, dir), names, blobs)
		if err != nil {
			t.Fatal(err)
		}
		var listed bytes.Buffer
		if err := far.List(ctx, &listed, here.Listing.Paths()); err != nil {
			t.Fatal(err)
		}
		var there workspace.Listing
		if theirs, there, err = workspace.ReadFar(&listed); err != nil {
			t.Fatal(err)
		}
		if theirs.Head != tree.Head {
			var b bytes.Buffer
			if err := tree.Bundle(ctx, &b, theirs.Head); err != nil {
				t.Fatal(err)
			}
			sent += b.Len()
			if err := far.Import(ctx, &b, tree.Head); err != nil {
				t.Fatal(err)
			}
		}
		var b bytes.Buffer
		plan := workspace.HandOver(base, here.Listing, there)
		if err := workspace.Pack(&b, openRoot(t, dir), plan.Changes, here.Blobs, nil); err != nil {
			t.Fatal(err)
		}
		if got := workspace.Size(plan.Changes, here.Blobs); len(here.Skipped) > 0 || got > 100 {
			t.Fatalf("got %d bytes of files, and %v", got, here.Skipped)
		}
		if err := far.Receive(ctx, &b); err != nil {
			t.Fatal(err)
		}
		if left, err := far.Checkout(ctx, tree.Branch); left || err != nil {
			t.Fatalf("got %t and %v", left, err)
		}
		base = here.Listing
		return sent
	}
	there := func(args ...string) string {
		t.Helper()
		out, err := exec.Command("git", append([]string{"-C", theirs.Tree}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	write(t, dir, map[string]string{"ignored": "no", "new": "4\n"})
	os.Remove(filepath.Join(dir, "gone"))
	first := sync()
	if got, want := there("status", "--short"), "D gone\n?? new"; got != want {
		t.Errorf("got status %q, want %q", got, want)
	}
	if got := there("log", "--format=%s", "topic/x"); got != "one" {
		t.Errorf("got log %q", got)
	}
	if _, err := os.Lstat(filepath.Join(theirs.Tree, "ignored")); err == nil {
		t.Error("what git ignores was handed over")
	}

	big := strings.Repeat("0123456789abcdef\n", 1<<16)
	write(t, dir, map[string]string{"big": big})
	git("add", "-A")
	git("commit", "--quiet", "-m", "two")
	write(t, theirs.Tree, map[string]string{"ignored": "theirs", "made": "5"})
	if second := sync(); second == 0 || second > first+10_000 {
		t.Errorf("got %d bytes of history, after %d", second, first)
	}
	if got, want := there("status", "--short"), "?? made"; got != want {
		t.Errorf("got status %q, want %q", got, want)
	}
	if got := there("log", "--format=%s"); got != "two\none" {
		t.Errorf("got log %q", got)
	}
	if text, err := os.ReadFile(filepath.Join(theirs.Tree, "big")); err != nil || string(text) != big {
		t.Errorf("got %d bytes and %v", len(text), err)
	}
	if again := sync(); again != 0 {
		t.Errorf("got %d bytes, want none where all is there", again)
	}
	// Commands over there may do what they want to their repository: it runs nothing of ours.
	mark := filepath.Join(t.TempDir(), "ran")
	write(t, theirs.Tree, map[string]string{".git/hooks/post-checkout": "#!/bin/sh\ntouch " + mark, ".git/hooks/post-index-change": "#!/bin/sh\ntouch " + mark})
	there("config", "core.fsmonitor", "touch "+mark+"; true")
	os.Remove(mark)
	git("commit", "--quiet", "--allow-empty", "-m", "three")
	sync()
	if _, err := os.Lstat(mark); err == nil {
		t.Error("a hook of the workspace has run")
	}
	there("config", "--unset", "core.fsmonitor")
	os.RemoveAll(filepath.Join(theirs.Tree, ".git/hooks"))
	// Commits there are left alone.
	there("-c", "user.name=b", "-c", "user.email=b", "commit", "--quiet", "--allow-empty", "-m", "theirs")
	if left, err := far.Checkout(ctx, "topic/x"); !left || err != nil {
		t.Errorf("got %t and %v, want it left as it is", left, err)
	}
	if got := there("log", "--format=%s", "-1"); got != "theirs" {
		t.Errorf("got log %q", got)
	}
}

// A hostile repository here runs nothing either.
func TestHostileTree(t *testing.T) {
	dir, git := gitTree(t)
	mark := filepath.Join(t.TempDir(), "ran")
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte("#!/bin/sh\ntouch "+mark+"\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"core.fsmonitor", "filter.x.clean", "filter.x.smudge", "core.sshCommand", "core.alternateRefsCommand", "uploadpack.packObjectsHook"} {
		git("config", key, script)
	}
	write(t, dir, map[string]string{".gitattributes": "* filter=x\n", ".git/hooks/post-index-change": "#!/bin/sh\ntouch " + mark})
	ctx := context.Background()
	tree, err := workspace.OpenTree(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = tree.Names(ctx)
	var b bytes.Buffer
	ignored, errIgnored := tree.Ignored(ctx, []string{"ignored", "a", ":(glob)*", "d/ignored"})
	if err := errors.Join(err, errIgnored, tree.Bundle(ctx, &b, "")); err != nil {
		t.Error(err)
	}
	if want := map[string]bool{"ignored": true, "d/ignored": true}; !maps.Equal(ignored, want) {
		t.Errorf("got %v, want %v", ignored, want)
	}
	if _, err := os.Lstat(mark); err == nil {
		t.Error("a program of the repository's configuration has run")
	}
}

// A directory in the place of a tracked file is no repository of its own, as a submodule is, with
// files or without, and what nobody has added.
func TestOwnRepositories(t *testing.T) {
	dir, git := gitTree(t)
	head := git("rev-parse", "HEAD")
	for _, name := range []string{"module", "missing"} {
		git("update-index", "--add", "--cacheinfo", "160000,"+head+","+name)
	}
	git("init", "--quiet", "repo")
	os.Remove(filepath.Join(dir, "l"))
	write(t, dir, map[string]string{"l/x": "1", "module/x": "2", "repo/x": "3"})
	tree, err := workspace.OpenTree(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	names, blobs, err := tree.Names(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s, err := workspace.ScanNames(openRoot(t, dir), names, blobs)
	if err != nil {
		t.Fatal(err)
	}
	want := []workspace.Skipped{{"module", "a repository of its own"}, {"repo", "a repository of its own"}}
	if !slices.Equal(s.Skipped, want) {
		t.Errorf("got %v, want %v", s.Skipped, want)
	}
	if got, want := s.Listing.Paths(), []string{".gitignore", "a", "d/b", "gone", "l/x"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// What git would ignore where symbolic links are, if they were not.
func TestIgnoredUnlinked(t *testing.T) {
	dir, git := gitTree(t)
	outside := t.TempDir()
	write(t, outside, map[string]string{".gitignore": "*\n"})
	write(t, dir, map[string]string{
		"d/.gitignore": "below\n!ignored\n", "d/out": "-> " + outside, "e/.gitignore": "-> " + outside + "/.gitignore",
		"e/in": "-> ../d", ".git/info/exclude": "excluded\n",
	})
	git("config", "core.worktree", dir)
	tree, err := workspace.OpenTree(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	ignored, err := tree.IgnoredUnlinked(t.Context(), []string{
		"l/x", "l/ignored", "l/deep/excluded/x", "l/below", "d/out/x", "d/out/below", "d/out/ignored", "e/in/x", "e/in/below", "e/in/ignored",
	})
	want := map[string]bool{"l/ignored": true, "l/deep/excluded/x": true, "d/out/below": true, "e/in/ignored": true}
	if err != nil || !maps.Equal(ignored, want) {
		t.Errorf("got %v and %v, want %v", ignored, err, want)
	}
	t.Chdir(t.TempDir())
	t.Setenv("TMPDIR", "t")
	if _, err := tree.IgnoredUnlinked(t.Context(), []string{"l/x"}); err == nil || !strings.HasPrefix(err.Error(), "no directory to ask git in what it ignores: ") {
		t.Errorf("got %v, want what the directory is for", err)
	}
	if err := os.Mkdir("t", 0o700); err != nil {
		t.Fatal(err)
	}
	if again, err := tree.IgnoredUnlinked(t.Context(), []string{"l/x", "l/ignored"}); err != nil || !maps.Equal(again, map[string]bool{"l/ignored": true}) {
		t.Errorf("in a directory below this one: got %v and %v", again, err)
	}
	if err := os.Truncate(filepath.Join(dir, ".gitignore"), 1<<30); err != nil {
		t.Fatal(err)
	}
	if _, err := tree.IgnoredUnlinked(t.Context(), []string{"l/x"}); err == nil || !strings.HasPrefix(err.Error(), ".gitignore: more than 16 MiB") {
		t.Errorf("got %v, want it refused", err)
	}
}

// A directory below the top of a git tree is none of its own.
func TestBelowTop(t *testing.T) {
	dir, _ := gitTree(t)
	if tree, err := workspace.OpenTree(context.Background(), filepath.Join(dir, "d")); tree != nil || err != nil {
		t.Errorf("got %v and %v, want no tree", tree, err)
	}
}

// A repository that is elsewhere is handed over only if it was named, whatever leads there.
func TestLent(t *testing.T) {
	secret, git := gitTree(t)
	elsewhere := func(dir string, args ...string) string {
		t.Helper()
		return git(append([]string{"-C", dir}, args...)...)
	}
	head := git("rev-parse", "HEAD")
	link := func(dir, name, to string) {
		t.Helper()
		p := filepath.Join(dir, ".git", name)
		os.RemoveAll(p)
		if err := errors.Join(os.MkdirAll(filepath.Dir(p), 0o700), os.Symlink(to, p)); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		lend  func(dir string)
		leads string // below secret
	}{
		"file": {func(dir string) { write(t, dir, map[string]string{".git": "gitdir: " + secret + "/.git\n"}) }, ".git"},
		"link": {func(dir string) { link(dir, "", secret+"/.git") }, ".git"},
		"common directory": {func(dir string) {
			elsewhere(dir, "init", "--quiet")
			write(t, dir, map[string]string{".git/commondir": secret + "/.git\n"})
		}, ".git"},
		"worktree": {func(dir string) { git("worktree", "add", "--quiet", "--detach", dir) }, ".git"},
		"alternates": {func(dir string) {
			elsewhere(dir, "init", "--quiet")
			write(t, dir, map[string]string{".git/objects/info/alternates": secret + "/.git/objects\n", ".git/refs/heads/x": head + "\n"})
			elsewhere(dir, "symbolic-ref", "HEAD", "refs/heads/x")
		}, ".git/objects"},
		"alternates of alternates": {func(dir string) {
			elsewhere(dir, "init", "--quiet")
			elsewhere(dir, "init", "--quiet", "--bare", "a é\"b")
			write(t, dir, map[string]string{
				".git/objects/info/alternates":   "../../a é\"b/objects\n",
				"a é\"b/objects/info/alternates": secret + "/.git/objects\n",
			})
		}, ".git/objects"},
		"objects": {func(dir string) {
			elsewhere(dir, "init", "--quiet")
			link(dir, "objects", secret+"/.git/objects")
		}, ".git/objects"},
		"some objects": {func(dir string) {
			elsewhere(dir, "init", "--quiet")
			link(dir, "objects/"+head[:2], secret+"/.git/objects/"+head[:2])
		}, ".git/objects/" + head[:2]},
		"an object": {func(dir string) {
			elsewhere(dir, "init", "--quiet")
			link(dir, "objects/"+head[:2]+"/"+head[2:], secret+"/.git/objects/"+head[:2]+"/"+head[2:])
		}, ".git/objects/" + head[:2] + "/" + head[2:]},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			c.lend(dir)
			real, err := filepath.EvalSymlinks(filepath.Join(secret, c.leads))
			if err != nil {
				t.Fatal(err)
			}
			_, err = workspace.OpenTree(t.Context(), dir)
			if lent, ok := errors.AsType[*workspace.LentError](err); !ok || lent.Leads != real {
				t.Errorf("got %v, want it refused for %s", err, real)
			}
			tree, err := workspace.OpenTree(t.Context(), dir, real)
			if err != nil {
				t.Fatalf("got %v where it was named", err)
			}
			if name == "worktree" || name == "alternates" {
				var b bytes.Buffer
				if err := tree.Bundle(t.Context(), &b, ""); err != nil || tree.Head != head || b.Len() == 0 {
					t.Errorf("got %s, %d bytes and %v, want %s", tree.Head, b.Len(), err, head)
				}
			}
		})
	}
}

// What comes to lead elsewhere while a bundle is made is refused, too.
func TestLentMeanwhile(t *testing.T) {
	secret, _ := gitTree(t)
	dir, _ := gitTree(t)
	tree, err := workspace.OpenTree(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, map[string]string{".git/objects/info/alternates": secret + "/.git/objects\n"})
	err = tree.Bundle(t.Context(), io.Discard, "")
	if _, ok := errors.AsType[*workspace.LentError](err); !ok {
		t.Errorf("got %v, want it refused", err)
	}
}

// Variables of ours lead git nowhere else.
func TestGitVariables(t *testing.T) {
	secret, _ := gitTree(t)
	dir, git := gitTree(t)
	git("commit", "--quiet", "--allow-empty", "-m", "another")
	head := git("rev-parse", "HEAD")
	for name, value := range map[string]string{
		"GIT_DIR": secret + "/.git", "GIT_COMMON_DIR": secret + "/.git", "GIT_WORK_TREE": secret,
		"GIT_OBJECT_DIRECTORY": secret + "/.git/objects", "GIT_ALTERNATE_OBJECT_DIRECTORIES": secret + "/.git/objects",
		"GIT_INDEX_FILE": secret + "/.git/index", "GIT_NAMESPACE": "x", "GIT_CEILING_DIRECTORIES": "/",
		"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.worktree", "GIT_CONFIG_VALUE_0": secret,
	} {
		t.Setenv(name, value)
	}
	tree, err := workspace.OpenTree(t.Context(), dir)
	if err != nil || tree == nil || tree.Head != head {
		t.Fatalf("got %+v and %v, want %s", tree, err, head)
	}
	if names, _, err := tree.Names(t.Context()); err != nil || len(names) != 5 {
		t.Errorf("got %v and %v", names, err)
	}
}
