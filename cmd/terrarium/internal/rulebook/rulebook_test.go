//go:build linux || darwin

package rulebook_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/rulebook"
	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/policy"
)

// A place is a machine's directories, far from the real ones.
type place struct {
	t                           *testing.T
	dir, managed, user, project string
}

func newPlace(t *testing.T) *place {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &place{t: t, dir: dir, managed: dir + "/etc/policy.toml", user: dir + "/config/terrarium/policy.toml", project: dir + "/work/.terrarium/policy.toml"}
	t.Setenv("XDG_CONFIG_HOME", dir+"/config")
	t.Setenv("HOME", dir)
	if file, err := rulebook.UserFile(); err != nil {
		t.Fatal(err)
	} else {
		p.user = file // not the same on macOS
	}
	if err := os.MkdirAll(dir+"/work", 0o755); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *place) write(file, text string) {
	p.t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) open(c rulebook.Config) *rulebook.Book {
	p.t.Helper()
	c.Managed = p.managed
	b, err := rulebook.Open(c)
	if err != nil {
		p.t.Fatal(err)
	}
	return b
}

func (p *place) line(s string) *core.Exec {
	return &core.Exec{
		Command: core.Command{Command: s, Cwd: p.dir + "/work", Roots: []string{p.dir + "/work"}},
		Path:    "/bin/sh", Argv: []string{"sh", "-c", s}, Via: core.ViaShell,
	}
}

func want(t *testing.T, b *rulebook.Book, e *core.Exec, d policy.Decision, reason string) {
	t.Helper()
	if v := b.Decide(e); v.Decision != d || !strings.Contains(v.Reason, reason) {
		t.Errorf("%s: %v (%s), want %v (%s)", e.Command.Command, v.Decision, v.Reason, d, reason)
	}
}

func rule(id, decision, argv string) string {
	return fmt.Sprintf("[[rule]]\nid = %q\ndecision = %q\nargv = %s\n", id, decision, argv)
}

func TestLayers(t *testing.T) {
	p := newPlace(t)
	b := p.open(rulebook.Config{})
	if !b.None() {
		t.Error("there is a file where there is none")
	}
	want(t, b, p.line("ls; $x"), policy.Allow, "")
	want(t, p.open(rulebook.Config{Default: policy.Ask}), p.line("ls"), policy.Ask, "no rule")

	// A project's file tightens where there is no other, and loosens nothing.
	p.write(p.project, rule("a", "deny", "['rm']"))
	want(t, b, p.line("ls"), policy.Allow, "")
	want(t, b, p.line("rm x"), policy.Deny, "rule a")
	p.write(p.project, rule("a", "allow", "['rm']"))
	want(t, b, p.line("rm x"), policy.Deny, "can only tighten")
	if err := os.Remove(p.project); err != nil {
		t.Fatal(err)
	}

	// The user's file holds from the next command on, and so does the managed one.
	p.write(p.user, rule("b", "allow", "['ls']"))
	if b.None() {
		t.Error("there is no file where there is one")
	}
	want(t, b, p.line("ls"), policy.Allow, "")
	want(t, b, p.line("cat"), policy.Ask, "no rule")
	p.write(p.managed, rule("c", "deny", "['ls']"))
	want(t, b, p.line("ls"), policy.Deny, "rule c")

	// Where a session hands nothing over, its directory is its project.
	p.write(p.project, rule("d", "deny", "['cat']"))
	bare := p.line("cat")
	bare.Command.Roots = nil
	want(t, b, bare, policy.Deny, "rule d")
	bare.Command.Roots = []string{"/nowhere"}
	want(t, b, bare, policy.Ask, "no rule")
}

// TestTrusted: elsewhere a sandbox is a claim, and counts only where the user says so.
func TestTrusted(t *testing.T) {
	p := newPlace(t)
	const inside = "[[rule]]\nid = 'a'\ndecision = 'allow'\nargv = ['make']\ninside = 'workspace'\n"
	p.write(p.user, inside)
	make := p.line("make")
	make.Sandbox = "workspace"
	box := rulebook.Config{Place: "ssh:box"}
	want(t, p.open(rulebook.Config{}), make, policy.Allow, "")
	want(t, p.open(box), make, policy.Ask, "no rule")
	// A project's file can't say it, and is wrong.
	p.write(p.project, "trusted = ['ssh:box']\n")
	want(t, p.open(box), make, policy.Deny, "can't trust a place")
	if err := os.Remove(p.project); err != nil {
		t.Fatal(err)
	}
	p.write(p.user, "trusted = ['ssh:box']\n"+inside)
	b := p.open(box)
	want(t, b, make, policy.Allow, "")
	want(t, p.open(rulebook.Config{Place: "ssh:box2"}), make, policy.Ask, "no rule")
	make.Sandbox = ""
	want(t, b, make, policy.Ask, "no rule")
	// What "always" adds leaves it there.
	if _, err := b.Add([]*policy.Rule{{ID: "b", Argv: [][]string{{"ls"}}, Decision: policy.Allow}}); err != nil {
		t.Fatal(err)
	}
	make.Sandbox = "workspace"
	want(t, b, make, policy.Allow, "")
}

// TestNotHere: what runs elsewhere is not looked up in a PATH of this machine.
func TestNotHere(t *testing.T) {
	p := newPlace(t)
	p.write(p.user, rule("a", "allow", "['tool']"))
	p.write(p.dir+"/work/bin/tool", "")
	if err := os.Chmod(p.dir+"/work/bin/tool", 0o755); err != nil {
		t.Fatal(err)
	}
	c := rulebook.Config{Path: p.dir + "/work/bin"}
	want(t, p.open(c), p.line("tool"), policy.Ask, "")
	c.Place = "ssh:box"
	want(t, p.open(c), p.line("tool"), policy.Allow, "")
}

func TestGoneIsDenied(t *testing.T) {
	p := newPlace(t)
	p.write(p.user, rule("b", "deny", "['rm']"))
	b := p.open(rulebook.Config{})
	if err := os.Remove(p.user); err != nil {
		t.Fatal(err)
	}
	want(t, b, p.line("ls"), policy.Deny, p.user+": it was in force, and is gone")
}

func TestExplicitFile(t *testing.T) {
	p := newPlace(t)
	p.write(p.user, rule("b", "allow", "['ls']"))
	mine := p.dir + "/mine.toml"
	if _, err := rulebook.Open(rulebook.Config{Managed: p.managed, File: mine}); err == nil || !strings.Contains(err.Error(), mine) {
		t.Errorf("a file that is missing: %v", err)
	}
	p.write(mine, rule("m", "allow", "['cat']"))
	b := p.open(rulebook.Config{File: mine})
	want(t, b, p.line("ls"), policy.Ask, "")
	want(t, b, p.line("cat x"), policy.Allow, "")
}

// TestWrongFiles: a file that is wrong is refused at the start, and denies all once it has become
// so.
func TestWrongFiles(t *testing.T) {
	for name, spoil := range map[string]struct {
		do   func(file string) error
		want string
	}{
		"syntax":    {func(f string) error { return os.WriteFile(f, []byte("default = \"ask\"\nx = 1\n"), 0o600) }, ":2:1: unknown key"},
		"fifo":      {func(f string) error { return syscall.Mkfifo(f, 0o600) }, "not a regular file"},
		"device":    {func(f string) error { return os.Symlink("/dev/zero", f) }, "not a regular file"},
		"directory": {func(f string) error { return os.Mkdir(f, 0o700) }, "not a regular file"},
		"huge":      {func(f string) error { return errors.Join(os.WriteFile(f, nil, 0o600), os.Truncate(f, 1<<40)) }, "longer than"},
		"loop":      {func(f string) error { return os.Symlink(f, f) }, "too many"},
		"example": {func(f string) error {
			return os.WriteFile(f, []byte(rule("r", "deny", "['ls']")+"match = ['cat x']\n"), 0o600)
		}, `:5:1: rule r: match: "cat x" does not fall under it`},
	} {
		for _, layer := range []string{"managed", "user", "project"} {
			t.Run(name+" "+layer, func(t *testing.T) {
				p := newPlace(t)
				file := map[string]string{"managed": p.managed, "user": p.user, "project": p.project}[layer]
				var told []string
				b := p.open(rulebook.Config{Warn: func(err error) { told = append(told, err.Error()) }})
				if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := spoil.do(file); err != nil {
					t.Fatal(err)
				}
				for range 2 { // the second from memory
					want(t, b, p.line("ls"), policy.Deny, file)
					want(t, b, p.line("ls"), policy.Deny, spoil.want)
				}
				if len(told) != 1 || !strings.Contains(told[0], file) {
					t.Errorf("the person is told %q, want one line about %s", told, file)
				}
				_, err := rulebook.Open(rulebook.Config{Managed: p.managed})
				if layer != "project" && (err == nil || !strings.Contains(err.Error(), file)) {
					t.Errorf("it opens: %v", err)
				}
				if err := os.RemoveAll(file); err != nil {
					t.Fatal(err)
				}
				p.write(file, rule("ok", "ask", "['cat']"))
				want(t, b, p.line("cat"), policy.Ask, "rule ok")
			})
		}
	}
}

// TestUnreadable needs a user who may not read everything.
func TestUnreadable(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root reads everything")
	}
	p := newPlace(t)
	p.write(p.managed, rule("a", "allow", "['ls']"))
	b := p.open(rulebook.Config{})
	if err := os.Chmod(p.managed, 0); err != nil {
		t.Fatal(err)
	}
	want(t, b, p.line("ls"), policy.Deny, p.managed)
}

// TestChangesAreSeen: a file that changes often, in size or not, is never taken for what it was.
func TestChangesAreSeen(t *testing.T) {
	p := newPlace(t)
	b := p.open(rulebook.Config{})
	for i := range 50 {
		d := []policy.Decision{policy.Deny, policy.Allow}[i%2]
		p.write(p.user, rule("r", d.String(), "['ls']")+[]string{"#\n", "\n"}[i%2]) // of one size
		want(t, b, p.line("ls"), d, "")
	}
}

func TestLookup(t *testing.T) {
	p := newPlace(t)
	for _, dir := range []string{"bin", "work/bin", "shared", "links"} {
		if err := os.MkdirAll(filepath.Join(p.dir, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(p.dir+"/shared", 0o1777); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"bin/tool", "work/bin/tool", "work/bin/own"} {
		if err := os.WriteFile(filepath.Join(p.dir, file), nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(p.dir+"/work/bin/own", p.dir+"/links/linked"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(p.dir+"/work", p.dir+"/another"); err != nil {
		t.Fatal(err)
	}
	p.write(p.user, rule("a", "allow", "[['tool', 'own', 'linked', 'inner'], '**']"))
	for _, c := range []struct {
		path, line string
		want       policy.Decision
	}{
		{"D/bin", "tool", policy.Allow},
		{"D/bin:D/work/bin", "tool", policy.Allow},
		{"D/bin:D/work/bin", "own", policy.Ask},
		{"D/work/bin:D/bin", "tool", policy.Ask},
		{"D/work/none:D/bin", "tool", policy.Ask}, // it may be made
		{"D/none:D/bin", "tool", policy.Allow},
		{".:D/bin", "tool", policy.Ask},
		{"node_modules/.bin:D/bin", "tool", policy.Ask},
		{":D/bin", "tool", policy.Ask},
		{"D/bin:", "tool", policy.Allow},
		{"D/shared:D/bin", "tool", policy.Ask},
		{"D/bin:D/shared", "tool", policy.Allow},
		{"D/links", "linked", policy.Ask},
		{"D/another/bin", "own", policy.Ask},
		{"D/work/bin", "inner", policy.Allow}, // of the shell: no PATH finds it
	} {
		path := strings.ReplaceAll(c.path, "D", p.dir)
		if v := p.open(rulebook.Config{Path: path}).Decide(p.line(c.line)); v.Decision != c.want {
			t.Errorf("PATH=%s %s: %v (%s), want %v", c.path, c.line, v.Decision, v.Reason, c.want)
		}
	}
	// What a sandbox runs is not found in a PATH of this machine.
	want(t, p.open(rulebook.Config{Path: p.dir + "/work/bin", Guests: true}), p.line("own"), policy.Allow, "")
	// The root directory as a session's says nothing of what it writes.
	e := p.line("tool")
	e.Command.Roots = []string{"/"}
	want(t, p.open(rulebook.Config{Path: p.dir + "/bin"}), e, policy.Allow, "")
}

// TestLookupChanges: what was found before does not hold when a directory has changed.
func TestLookupChanges(t *testing.T) {
	p := newPlace(t)
	p.write(p.user, rule("a", "allow", "['tool']"))
	for _, dir := range []string{"first", "second"} {
		if err := os.Mkdir(filepath.Join(p.dir, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(p.dir+"/second/tool", nil, 0o755); err != nil {
		t.Fatal(err)
	}
	b := p.open(rulebook.Config{Path: p.dir + "/first:" + p.dir + "/second"})
	want(t, b, p.line("tool"), policy.Allow, "")
	if err := os.WriteFile(p.dir+"/work/tool", nil, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(p.dir+"/work/tool", p.dir+"/first/tool"); err != nil {
		t.Fatal(err)
	}
	want(t, b, p.line("tool"), policy.Ask, fmt.Sprintf("may have written this program, %q", p.dir+"/first/tool"))
	if err := os.Remove(p.dir + "/first/tool"); err != nil {
		t.Fatal(err)
	}
	want(t, b, p.line("tool"), policy.Allow, "")
	if err := os.Chmod(p.dir+"/first", 0o777); err != nil {
		t.Fatal(err)
	}
	want(t, b, p.line("tool"), policy.Ask, fmt.Sprintf("may have written this program, %q: it may write in %q", p.dir+"/second/tool", p.dir+"/first"))
}

// add adds a rule for a command.
func add(b *rulebook.Book, e *core.Exec) (string, error) { return b.Add(b.Decide(e).Always) }

func TestAdd(t *testing.T) {
	p := newPlace(t)
	b := p.open(rulebook.Config{Default: policy.Ask})
	file, err := add(b, p.line("make lint && git fetch"))
	if err != nil || file != p.user {
		t.Fatal(file, err)
	}
	want(t, b, p.line("git fetch && make lint"), policy.Allow, "")
	want(t, b, p.line("git push"), policy.Ask, "")
	for name, mode := range map[string]os.FileMode{p.user: 0o600, filepath.Dir(p.user): 0o700 | os.ModeDir} {
		if info, err := os.Stat(name); err != nil || info.Mode() != mode {
			t.Errorf("%s: %v %v, want %v", name, info.Mode(), err, mode)
		}
	}

	// What was there stays byte for byte, a rule is added once, and ids differ.
	const mine = "# mine\r\ndefault = 'ask' # really\n[[rule]]\nid = 'always-git-fetch'\nargv = ['x']\ndecision = 'deny'"
	p.write(p.user, mine)
	rules := b.Decide(p.line("git fetch")).Always
	for range 2 {
		if _, err := b.Add(rules); err != nil {
			t.Fatal(err)
		}
	}
	got, _ := os.ReadFile(p.user)
	if added, ok := strings.CutPrefix(string(got), mine); !ok || strings.Count(added, "[[rule]]") != 1 || !strings.Contains(added, `"always-git-fetch-2"`) {
		t.Errorf("%s", got)
	}
	want(t, b, p.line("git fetch"), policy.Allow, "")

	// A file that is wrong is not touched.
	p.write(p.user, "default = ")
	if _, err := b.Add(rules); err == nil || !strings.Contains(err.Error(), p.user+":1:") {
		t.Errorf("a rule is added to a wrong file: %v", err)
	}
	if got, _ := os.ReadFile(p.user); string(got) != "default = " {
		t.Errorf("%s", got)
	}
	// Nor one that holds rules in a way that none can be appended to.
	inline := "rule = [{id = 'a', argv = ['ls'], decision = 'allow'}]\n"
	p.write(p.user, inline)
	if _, err := b.Add(rules); err == nil {
		t.Error("rules are appended to an inline list")
	}
	if got, _ := os.ReadFile(p.user); string(got) != inline {
		t.Errorf("%s", got)
	}
	left, _ := filepath.Glob(filepath.Join(filepath.Dir(p.user), ".policy-*"))
	if len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestAddThroughLink(t *testing.T) {
	p := newPlace(t)
	b := p.open(rulebook.Config{Default: policy.Ask})
	rules := b.Decide(p.line("git fetch")).Always
	target := p.dir + "/dotfiles/policy.toml"
	if err := os.MkdirAll(filepath.Dir(p.user), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, p.user); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Add(rules); err == nil || !strings.Contains(err.Error(), "symbolic link") {
		t.Errorf("through a link to nothing: %v", err)
	}
	p.write(target, "# mine\n")
	if err := os.Chmod(target, 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Add(rules); err != nil {
		t.Fatal(err)
	}
	if to, _ := os.Readlink(p.user); to != target {
		t.Errorf("the link is gone")
	}
	if info, _ := os.Stat(target); info.Mode() != 0o640 {
		t.Errorf("%v", info.Mode())
	}
	want(t, b, p.line("git fetch"), policy.Allow, "")
}

func TestAddToFile(t *testing.T) {
	p := newPlace(t)
	mine := p.dir + "/mine.toml"
	p.write(mine, "")
	b := p.open(rulebook.Config{File: mine})
	if file, err := add(b, p.line("git fetch")); err != nil || file != mine {
		t.Fatal(file, err)
	}
	if _, err := os.Stat(p.user); err == nil {
		t.Error("the user's file is written, too")
	}
}

// TestAddFromProcesses: processes that add at the same time lose nothing.
func TestAddFromProcesses(t *testing.T) {
	if n := os.Getenv("RULEBOOK_ADD"); n != "" {
		b, err := rulebook.Open(rulebook.Config{Managed: "/nowhere/policy.toml", Default: policy.Ask})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 5 {
			r := &policy.Rule{ID: "same", Argv: [][]string{{"tool"}, {n}, {fmt.Sprint(i)}}, Decision: policy.Allow, Redirects: "read"}
			if _, err := b.Add([]*policy.Rule{r}); err != nil {
				t.Fatal(err)
			}
		}
		return
	}
	p := newPlace(t)
	var children []*exec.Cmd
	for i := range 10 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestAddFromProcesses$")
		cmd.Env = append(os.Environ(), fmt.Sprint("RULEBOOK_ADD=", i))
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		children = append(children, cmd)
	}
	for _, c := range children {
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
	}
	data, err := os.ReadFile(p.user)
	if err != nil {
		t.Fatal(err)
	}
	f, err := policy.Parse(p.user, data, policy.User)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Rules) != 50 {
		t.Errorf("%d rules, want 50", len(f.Rules))
	}
}

// TestConcurrent: many ask while files change and rules are added. It is for the race detector.
func TestConcurrent(t *testing.T) {
	p := newPlace(t)
	p.write(p.user, rule("b", "deny", "['rm']"))
	b := p.open(rulebook.Config{})
	var group sync.WaitGroup
	for i := range 4 {
		group.Go(func() {
			for j := range 20 {
				e := p.line("rm x")
				e.Command.Roots = append(e.Command.Roots, fmt.Sprintf("/nowhere/%d/%d", i, j))
				want(t, b, e, policy.Deny, "rule b")
			}
		})
		group.Go(func() {
			r := &policy.Rule{ID: "r", Argv: [][]string{{"tool"}, {fmt.Sprint(i)}}, Decision: policy.Allow}
			if _, err := b.Add([]*policy.Rule{r}); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	want(t, b, p.line("tool 0; tool 1; tool 2; tool 3"), policy.Allow, "")
}

// BenchmarkDecide has the start of a process beside it: a decision should cost at most a twentieth.
func BenchmarkDecide(b *testing.B) {
	file := filepath.Join(b.TempDir(), "policy.toml")
	if err := os.WriteFile(file, policy.Starter, 0o600); err != nil {
		b.Fatal(err)
	}
	book, err := rulebook.Open(rulebook.Config{Managed: "/nowhere/policy.toml", File: file})
	if err != nil {
		b.Fatal(err)
	}
	line := "cd core && git log --oneline -20 -- registry.go | head -5; grep -rn 'func Test' --include=*_test.go . | sort | uniq -c | sort -rn | head -20; go vet ./... 2>&1 | tail -5"
	e := &core.Exec{
		Command: core.Command{Command: line, Cwd: "/work/app", Roots: []string{"/work/app"}},
		Path:    "/bin/sh", Argv: []string{"sh", "-c", line}, Via: core.ViaShell,
	}
	for begin := time.Now(); time.Since(begin) < 2*time.Second; { // until the file is no news
		book.Decide(e)
	}
	b.Run("decide", func(b *testing.B) {
		for b.Loop() {
			book.Decide(e)
		}
	})
	b.Run("start", func(b *testing.B) {
		for b.Loop() {
			if err := exec.Command("/bin/true").Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
