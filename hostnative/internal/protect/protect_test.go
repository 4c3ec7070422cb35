//go:build linux || darwin

package protect

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A bench is a root, and a snapshot of it.
type bench struct {
	t          testing.TB
	root, keep string
	s          *Snapshot
}

// newBench makes a workspace. Files ending in a slash are directories.
func newBench(t testing.TB, files map[string]string) *bench {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, root: filepath.Join(dir, "root"), keep: filepath.Join(dir, "keep")}
	if err := os.Mkdir(b.root, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, data := range files {
		b.write(name, data)
	}
	return b
}

// repository is what git makes, as far as it counts here.
func repository(at string) map[string]string {
	return map[string]string{
		at + "/HEAD": "ref: refs/heads/main\n", at + "/objects/": "", at + "/refs/": "", at + "/hooks/pre-push.sample": "#!/bin/sh\n",
		at + "/config": "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = https://a.example\n",
	}
}

func (b *bench) path(name string) string { return filepath.Join(b.root, name) }

func (b *bench) check(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) write(name, data string) {
	b.t.Helper()
	if strings.HasSuffix(name, "/") {
		b.check(os.MkdirAll(b.path(name), 0o755))
		return
	}
	b.check(os.MkdirAll(filepath.Dir(b.path(name)), 0o755))
	b.check(os.WriteFile(b.path(name), []byte(data), 0o644))
}

func (b *bench) read(name string) string {
	b.t.Helper()
	data, err := os.ReadFile(b.path(name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		b.t.Error(err)
	}
	return string(data)
}

func (b *bench) take(l Limits, homes ...string) {
	b.t.Helper()
	s, err := Take(b.t.Context(), Config{Roots: []string{b.root}, Keep: b.keep, Homes: homes, Limits: l})
	b.check(err)
	b.s = s
	b.t.Cleanup(func() { s.Close() })
}

// restore returns what was told, without the root and where it is kept: "path: kind" and more.
func (b *bench) restore() []string {
	b.t.Helper()
	changes, err := b.s.Restore(b.t.Context())
	b.check(err)
	var told []string
	for _, c := range changes {
		if c.Kept != "" {
			if _, err := os.Lstat(c.Kept); err != nil {
				b.t.Errorf("%v: %v", c, err)
			}
		}
		c.Path, c.Kept = strings.TrimPrefix(c.Path, b.root+"/"), ""
		told = append(told, c.String())
	}
	return told
}

// want restores and compares what is told.
func (b *bench) want(told ...string) {
	b.t.Helper()
	if got := b.restore(); !slices.Equal(got, told) {
		b.t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(told, "\n"))
	}
	if got := b.restore(); len(got) > 0 && !strings.Contains(strings.Join(told, ""), "could not") {
		b.t.Errorf("told again: %v", got)
	}
}

func TestRestore(t *testing.T) {
	tests := []struct {
		name  string
		files map[string]string // beside a repository in .git
		do    func(b *bench)
		told  []string
		after map[string]string
	}{
		{"nothing", nil, func(b *bench) { b.write("a/b", "c") }, nil, map[string]string{"a/b": "c"}},
		{"a hook", nil, func(b *bench) { b.write(".git/hooks/pre-commit", "evil") },
			[]string{".git/hooks/pre-commit: created, taken away"}, map[string]string{".git/hooks/pre-commit": ""}},
		{"an example of a hook", nil, func(b *bench) { b.write(".git/hooks/x.sample", "evil") }, nil, nil},
		{"a hook of before", map[string]string{".git/hooks/pre-commit": "good"}, func(b *bench) { b.write(".git/hooks/pre-commit", "evil") },
			[]string{".git/hooks/pre-commit: changed, put back"}, map[string]string{".git/hooks/pre-commit": "good"}},
		{"of the same length", map[string]string{".git/hooks/pre-commit": "good"}, func(b *bench) {
			b.write(".git/hooks/pre-commit", "evil")
			b.check(os.Chtimes(b.path(".git/hooks/pre-commit"), time.Unix(1, 0), time.Unix(1, 0)))
		}, []string{".git/hooks/pre-commit: changed, put back"}, map[string]string{".git/hooks/pre-commit": "good"}},
		{"a mode", map[string]string{".git/hooks/pre-commit": "good"}, func(b *bench) {
			b.check(os.Chmod(b.path(".git/hooks/pre-commit"), 0o755))
		}, []string{".git/hooks/pre-commit: mode, put back"}, nil},
		{"all hooks gone", map[string]string{".git/hooks/pre-commit": "good"}, func(b *bench) { b.check(os.RemoveAll(b.path(".git/hooks"))) },
			[]string{".git/hooks/pre-commit: removed, put back"}, map[string]string{".git/hooks/pre-commit": "good"}},
		{"the repository gone", map[string]string{".git/hooks/pre-commit": "good"}, func(b *bench) { b.check(os.RemoveAll(b.path(".git"))) },
			[]string{".git/config: removed (with ROOT/.git), left as it is", ".git/hooks/pre-commit: removed (with ROOT/.git), left as it is"}, nil},
		{"the repository emptied", nil, func(b *bench) {
			b.check(os.RemoveAll(b.path(".git")))
			b.write(".git/", "")
		}, []string{".git/config: removed (with ROOT/.git), left as it is"}, nil},
		{"configuration", nil, func(b *bench) { b.write(".git/config", "[core]\n\tfsmonitor = x\n") },
			[]string{".git/config: changed (core.fsmonitor), put back"}, map[string]string{".git/config": repository("")["/config"]}},
		{"a remote", nil, func(b *bench) {
			b.write(".git/config", b.read(".git/config")+"[remote \"b\"]\n\turl = x\n")
		}, nil, map[string]string{".git/config": repository("")["/config"] + "[remote \"b\"]\n\turl = x\n"}},
		{"another common directory", nil, func(b *bench) { b.write(".git/commondir", "/tmp/evil") },
			[]string{".git/commondir: created (it has git take hooks and configuration from elsewhere), taken away"}, nil},
		{"attributes", nil, func(b *bench) { b.write(".git/info/attributes", "* filter=x") },
			[]string{".git/info/attributes: created, taken away"}, nil},
		{"a worktree's configuration", nil, func(b *bench) { b.write(".git/config.worktree", "[core]\n\tsparseCheckout = true\n\tpager = x\n") },
			[]string{".git/config.worktree: created (core.pager), taken away"}, map[string]string{".git/config.worktree": "[core]\n\tsparsecheckout = \"true\"\n"}},
		{"settings", map[string]string{"pkg/a": ""}, func(b *bench) {
			b.write(".vscode/tasks.json", "evil")
			b.write("pkg/.envrc", "evil")
			b.write("x.code-workspace", "evil")
			b.write(".terrarium/policy.toml", "evil")
			b.write(".editorconfig", "fine")
		}, []string{".terrarium/policy.toml: created, taken away", ".vscode/tasks.json: created, taken away", "pkg/.envrc: created, taken away",
			"x.code-workspace: created, taken away"}, map[string]string{".editorconfig": "fine"}},
		{"settings gone", map[string]string{".vscode/settings.json": "good"}, func(b *bench) { b.check(os.RemoveAll(b.path(".vscode"))) },
			[]string{".vscode/settings.json: removed, put back"}, map[string]string{".vscode/settings.json": "good"}},
		{"settings gone with their directory", map[string]string{"pkg/.vscode/settings.json": "good"}, func(b *bench) { b.check(os.RemoveAll(b.path("pkg"))) },
			[]string{"pkg/.vscode/settings.json: removed (with ROOT/pkg), left as it is"}, nil},
		{"a new directory with settings", nil, func(b *bench) { b.write("new/.vscode/tasks.json", "x") },
			[]string{"new/.vscode/tasks.json: created (it came with a new directory), left as it is"}, map[string]string{"new/.vscode/tasks.json": "x"}},
		{"a new repository", nil, func(b *bench) {
			for name, data := range repository("new/.git") {
				b.write(name, data)
			}
		}, nil, map[string]string{"new/.git/config": repository("")["/config"]}},
		{"a new repository that runs things", nil, func(b *bench) {
			for name, data := range repository("new") {
				b.write(name, data)
			}
			b.write("new/hooks/post-receive", "evil")
			b.write("new/config", "[core]\n\tbare = true\n\tfsmonitor = x\n")
		}, []string{"new/config: created (core.fsmonitor), taken away", "new/hooks/post-receive: created, taken away"},
			map[string]string{"new/config": "[core]\n\tbare = \"true\"\n", "new/hooks/post-receive": ""}},
		{"a hook elsewhere", map[string]string{".git/config": "[core]\n\thooksPath = ./my/hooks\n", "my/hooks/pre-commit": "good"}, func(b *bench) {
			b.write("my/hooks/pre-commit", "evil")
			b.write("my/hooks/pre-push", "evil")
		}, []string{"my/hooks/pre-push: created, taken away", "my/hooks/pre-commit: changed, put back"}, map[string]string{"my/hooks/pre-commit": "good"}},
		{"a hook among packages", map[string]string{".git/config": "[core]\n\thooksPath = node_modules/.hooks\n", "node_modules/.hooks/": "", "node_modules/a/": ""}, func(b *bench) {
			b.write("node_modules/.hooks/pre-push", "evil")
			b.write("node_modules/a/.envrc", "fine")
		}, []string{"node_modules/.hooks/pre-push: created, taken away"}, map[string]string{"node_modules/a/.envrc": "fine"}},
		{"another tool's hooks", map[string]string{".hg/hgrc": "good", ".npmrc": "good"}, func(b *bench) {
			b.write(".hg/hgrc", "[hooks]\nupdate = evil\n")
			b.write(".npmrc", "script-shell=evil\n")
		}, []string{".hg/hgrc: changed, put back", ".npmrc: changed, put back"}, map[string]string{".hg/hgrc": "good"}},
		{"a link to a hook", map[string]string{"scripts/check": "good"}, func(b *bench) {
			b.check(os.Symlink("../../scripts/check", b.path(".git/hooks/pre-commit")))
			b.check(b.s.Update(b.t.Context()))
			b.write("scripts/check", "evil")
		}, []string{"scripts/check: changed, put back"}, map[string]string{"scripts/check": "good"}},
		{"included configuration", map[string]string{".git/config": "[include]\n\tpath = ../.gitconfig\n", ".gitconfig": "[user]\n\tname = a\n"}, func(b *bench) {
			b.write(".gitconfig", "[user]\n\tname = a\n[alias]\n\tst = !x\n")
		}, []string{".gitconfig: changed (alias.st), put back"}, map[string]string{".gitconfig": "[user]\n\tname = a\n"}},
		{"a link in place of a file", map[string]string{".vscode/tasks.json": "good", "victim": "v"}, func(b *bench) {
			b.check(os.Remove(b.path(".vscode/tasks.json")))
			b.check(os.Symlink("../victim", b.path(".vscode/tasks.json")))
		}, []string{".vscode/tasks.json: link (a link to ../victim), put back"}, map[string]string{".vscode/tasks.json": "good", "victim": "v"}},
		{"a link in place of a directory", map[string]string{".vscode/tasks.json": "good", "victim/tasks.json": "v"}, func(b *bench) {
			b.check(os.RemoveAll(b.path(".vscode")))
			b.check(os.Symlink("victim", b.path(".vscode")))
		}, []string{".vscode: created (a link to victim), taken away", ".vscode/tasks.json: removed, put back"},
			map[string]string{".vscode/tasks.json": "good", "victim/tasks.json": "v"}},
		{"a link in place of a directory above", map[string]string{"pkg/.vscode/tasks.json": "good", "victim/.vscode/tasks.json": "v"}, func(b *bench) {
			b.check(os.RemoveAll(b.path("pkg")))
			b.check(os.Symlink("victim", b.path("pkg")))
		}, []string{"pkg/.vscode/tasks.json: removed (with ROOT/pkg), left as it is"}, map[string]string{"victim/.vscode/tasks.json": "v"}},
		{"a directory in place of a file", map[string]string{".git/hooks/pre-commit": "good"}, func(b *bench) {
			b.check(os.Remove(b.path(".git/hooks/pre-commit")))
			b.write(".git/hooks/pre-commit/x.sample", "mine")
		}, []string{".git/hooks/pre-commit: removed, put back"}, map[string]string{".git/hooks/pre-commit": "good"}},
		{"a FIFO", map[string]string{".envrc": "good"}, func(b *bench) {
			b.check(os.Remove(b.path(".envrc")))
			b.check(unix.Mkfifo(b.path(".envrc"), 0o644))
			b.check(unix.Mkfifo(b.path(".git/hooks/pre-push"), 0o755))
		}, []string{".git/hooks/pre-push: created (not kept: it is not a regular file), taken away",
			".envrc: changed (not kept: it is not a regular file), put back"}, map[string]string{".envrc": "good"}},
		{"another name for a file", map[string]string{".envrc": "good"}, func(b *bench) {
			b.check(os.Link(b.path(".envrc"), b.path("other")))
		}, []string{".envrc: link, put back"}, map[string]string{".envrc": "good", "other": "good"}},
		{"written through another name", map[string]string{".envrc": "good"}, func(b *bench) {
			b.check(os.Link(b.path(".envrc"), b.path("other")))
			b.write("other", "evil")
		}, []string{".envrc: changed, put back"}, map[string]string{".envrc": "good", "other": "evil"}},
		{"a .git that leads away", map[string]string{"sub/a": ""}, func(b *bench) { b.write("sub/.git", "gitdir: /tmp/evil\n") },
			[]string{"sub/.git: created (it leads to no repository that is looked at), taken away"}, nil},
		{"a .git that leads away by a link", map[string]string{"sub/a": ""}, func(b *bench) {
			b.check(os.Symlink("/tmp", b.path("sub/x")))
			b.write("sub/.git", "gitdir: x/../evil\n")
		}, []string{"sub/.git: created (it leads to no repository that is looked at), taken away"}, nil},
		{"names", map[string]string{".git/hooks/a": ""}, func(b *bench) { b.write(".git/hooks/\x1b[2J\n\xff", "evil") },
			[]string{`.git/hooks/\x1b[2J\n\xff: created, taken away`}, nil},
		{"a large one", map[string]string{".envrc": strings.Repeat("a", 2<<20)}, func(b *bench) { b.write(".envrc", strings.Repeat("b", 2<<20)) },
			[]string{".envrc: changed, could not be put back: " + errNotHeld.Error()}, nil},
		{"a directory that may not be written", map[string]string{".git/hooks/pre-commit": "good"}, func(b *bench) {
			b.write(".git/hooks/pre-commit", "evil")
			b.check(os.Chmod(b.path(".git/hooks"), 0o555))
		}, []string{".git/hooks: mode, put back", ".git/hooks/pre-commit: changed, put back"}, map[string]string{".git/hooks/pre-commit": "good"}},
		{"a directory that may not be read", map[string]string{".git/hooks/pre-commit": "good"}, func(b *bench) {
			b.write(".git/hooks/pre-commit", "evil")
			b.check(os.Chmod(b.path(".git/hooks"), 0))
			b.check(os.Chmod(b.path(".git"), 0))
			b.check(os.Chmod(b.root, 0o300))
		}, []string{": mode, put back", ".git: mode, put back", ".git/hooks: mode, put back", ".git/hooks/pre-commit: changed, put back"},
			map[string]string{".git/hooks/pre-commit": "good"}},
	}
	for _, test := range tests {
		t.Run(strings.ReplaceAll(test.name, " ", "_"), func(t *testing.T) {
			b := newBench(t, repository(".git"))
			for name, data := range test.files {
				b.write(name, data)
			}
			b.take(Limits{})
			test.do(b)
			for i, told := range test.told {
				test.told[i] = strings.ReplaceAll(told, "ROOT", b.root)
				if strings.HasPrefix(told, ":") {
					test.told[i] = b.root + told
				}
			}
			b.want(test.told...)
			for name, want := range test.after {
				if got := b.read(name); got != want {
					t.Errorf("%s: got %q, want %q", name, got, want)
				}
			}
			filepath.WalkDir(b.root, func(name string, _ fs.DirEntry, err error) error {
				if strings.HasPrefix(filepath.Base(name), ".terrarium-") && test.name != "a directory in place of a file" {
					t.Errorf("%s is left behind", name)
				}
				return err
			})
		})
	}
}

// What ended early leaves what was remembered as it is.
func TestCanceled(t *testing.T) {
	b := newBench(t, map[string]string{".envrc": "good"})
	b.take(Limits{})
	b.write(".envrc", "evil")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.s.Restore(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	b.want(".envrc: changed, put back")
}

// Random trees: afterwards protected files are what they were, and all others what they became.
func TestRestoreRandom(t *testing.T) {
	for seed := range uint64(20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { randomTree(t, rand.New(rand.NewPCG(seed, 1))) })
	}
}

func randomTree(t *testing.T, r *rand.Rand) {
	dirs := []string{"", "a/", "a/b/", "vendor/m/", "a/\xff\n/"}
	protected := []string{".git/config", ".git/hooks/pre-commit", ".git/info/attributes", ".vscode/tasks.json", ".envrc", ".claude/hooks/x/y"}
	free := []string{"x", ".vscode/extensions.json", ".git/index", ".git/hooks/a.sample", "sub/y"}
	b := newBench(t, nil)
	pick := func(list []string) string { return list[r.IntN(len(list))] }
	for _, d := range dirs { // what is below a repository that goes would go too
		b.write(d+".git/", "")
		for _, name := range []string{"HEAD", "objects/", "refs/"} {
			b.write(d+".git/"+name, "")
		}
	}
	for range 20 {
		b.write(pick(dirs)+pick(protected), fmt.Sprintf("[core]\n\tpager = %d\n", r.Int()))
		b.write(pick(dirs)+pick(free), fmt.Sprint(r.Int()))
	}
	b.take(Limits{})
	want := b.files()
	guarded := map[string]bool{}
	for _, d := range dirs {
		for _, name := range protected {
			guarded[d+name] = true
		}
	}
	for range 30 {
		name := pick(dirs) + pick(slices.Concat(protected, free))
		at := b.path(name)
		switch r.IntN(6) {
		case 0:
			os.Remove(at)
		case 1:
			os.Chmod(at, fs.FileMode(r.IntN(0o1000))|0o400)
		case 2:
			os.RemoveAll(at)
			os.MkdirAll(filepath.Dir(at), 0o755)
			os.Symlink(pick(dirs)+pick(free), at)
		case 3:
			os.RemoveAll(at)
			os.Link(b.path(pick(dirs)+pick(free)), at)
		default:
			os.Remove(at)
			b.write(name, fmt.Sprintf("[alias]\n\tx = %d\n", r.Int()))
		}
	}
	became := b.files()
	for _, c := range b.restore() {
		if strings.Contains(c, "could not") {
			t.Error(c)
		}
	}
	got := b.files()
	for name := range mergeKeys(want, became) {
		if !guarded[name] { // also what was written by another name of it
			want[name] = became[name]
		}
	}
	for name := range mergeKeys(want, got) {
		base, created := strings.CutSuffix(name, ".git/config")
		if want[name] == "" && created && strings.HasPrefix(got[name], "-rw-r--r-- ") && !strings.Contains(got[name], "=") {
			continue // of a repository that had none: what was dangerous in it is gone
		}
		if got[name] != want[name] {
			t.Errorf("%q below %q: got %q, want %q (became %q)", name, base, got[name], want[name], became[name])
		}
	}
	if again := b.restore(); len(again) > 0 {
		t.Errorf("told again: %q", again)
	}
}

func mergeKeys(a, b map[string]string) map[string]bool {
	all := map[string]bool{}
	for name := range a {
		all[name] = true
	}
	for name := range b {
		all[name] = true
	}
	return all
}

// files returns what each file is: its mode, and its content or where it leads.
func (b *bench) files() map[string]string {
	b.t.Helper()
	all := map[string]string{}
	b.check(filepath.WalkDir(b.root, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		i, err := e.Info()
		if err != nil {
			return err
		}
		data, err := os.ReadFile(name)
		if i.Mode()&fs.ModeSymlink != 0 {
			var to string
			to, err = os.Readlink(name)
			data = []byte(to)
		}
		all[strings.TrimPrefix(name, b.root+"/")] = fmt.Sprintf("%v %s", i.Mode(), data)
		return err
	}))
	return all
}

// git runs git in the workspace, with no configuration but the repository's.
func (b *bench) git(dir string, args ...string) {
	b.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = b.path(dir)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a")
	if out, err := cmd.CombinedOutput(); err != nil {
		b.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
}

// What people do with git every day is not undone, and nothing is told of it.
func TestGitWork(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	b := newBench(t, nil)
	b.git("", "init", "-q", "-b", "main", "lib")
	b.git("lib", "commit", "-q", "--allow-empty", "-m", "a")
	b.git("", "init", "-q", "-b", "main", "top")
	b.git("top", "commit", "-q", "--allow-empty", "-m", "a")
	b.take(Limits{})
	steps := [][]string{
		{"remote", "add", "origin", "https://a.example/x"},
		{"remote", "rename", "origin", "up"},
		{"branch", "b"},
		{"branch", "-u", "main", "b"},
		{"branch", "-m", "b", "c"},
		{"-c", "protocol.file.allow=always", "submodule", "add", "-q", "../lib", "deep/lib"},
		{"commit", "-q", "-m", "b"},
		{"worktree", "add", "-q", "../other"},
		{"clone", "-q", "../lib", "../copy"},
		{"clone", "-q", "--bare", "../lib", "../bare.git"},
		{"init", "-q", "."},
		{"init", "-q", "--bare", "../empty"},
		{"sparse-checkout", "set", "deep"},
		{"sparse-checkout", "disable"},
		{"submodule", "absorbgitdirs"},
		{"-c", "protocol.file.allow=always", "submodule", "update", "--init", "--remote", "-q"},
		{"config", "user.name", "me"},
		{"stash"},
		{"submodule", "deinit", "-f", "deep/lib"},
		{"checkout", "-q", "c"},
		{"gc", "-q"},
		{"worktree", "remove", "../other"},
	}
	for _, args := range steps {
		b.git("top", args...)
		for _, told := range b.restore() {
			if !strings.Contains(told, "removed") || !strings.HasSuffix(told, "left as it is") {
				t.Errorf("git %q: %s", args, told)
			}
		}
	}
	b.git("top", "status")
	b.git("copy", "fsck")
	b.git("top", "config", "core.fsmonitor", "./x")
	b.git("copy", "config", "--add", "remote.origin.url", "ext::sh -c x")
	b.want("copy/.git/config: changed (remote.origin.url), put back", "top/.git/config: changed (core.fsmonitor), put back")
	b.git("", "clone", "-q", "-c", "core.fsmonitor=./x", "lib", "bad")
	b.want("bad/.git/config: created (core.fsmonitor), taken away")
	b.git("bad", "status")
}
