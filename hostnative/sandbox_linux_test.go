package hostnative_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/egress"
	"github.com/terrarium-dev/terrarium/hostnative"
	"github.com/terrarium-dev/terrarium/hostnative/internal/confine"
)

// sandboxed returns a Host whose commands are confined, and the directory that they are
// handed over.
func sandboxed(t *testing.T, level hostnative.SandboxLevel) (*hostnative.Host, string) {
	t.Helper()
	if err := confine.Available().Err(); err != nil {
		t.Skip("NOT RUN: ", err)
	}
	root := t.TempDir()
	h := newHost(t, hostnative.Config{Sandbox: hostnative.Sandbox{
		Level: level, Required: true, Roots: []string{root}, Private: t.TempDir(),
	}})
	return h, root
}

// A confined command writes its roots and its private directory, and nothing else; it
// connects to nothing outside, and its keeper and this program are out of its reach.
func TestSandbox(t *testing.T) {
	outside := t.TempDir()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	port := listener.Addr().(*net.TCPAddr).Port
	for _, level := range []hostnative.SandboxLevel{hostnative.SandboxWorkspace, hostnative.SandboxStrict} {
		h, root := sandboxed(t, level)
		for _, m := range modes {
			for _, test := range []struct {
				script string
				works  bool
			}{
				{`echo x >"$root/new" && cat "$root/new" && rm "$root/new"`, true},
				{`echo x >"$TMPDIR/new" && mkdir -p "$XDG_CACHE_HOME/x" "$GOCACHE/x" "$npm_config_cache/x"`, true},
				{`echo x >/dev/null && head -c 1 /dev/urandom >/dev/null && cat /etc/passwd >/dev/null`, true},
				{`(sleep 100 & kill $!; wait $!; test $? = 143)`, true},
				{`echo x >&2; echo x >/dev/stdout`, true},
				{`echo x >"$outside/new"`, false},
				{`ln "$outside/there" "$root/link"`, false},
				{`rm "$outside/there"`, false},
				{`mv "$outside/there" "$root/"`, false},
				{`command -v python3 >/dev/null || exit 0; python3 -c "$affinity"`, true},
				{`taskset -cp "$(taskset -cp $host | sed 's/.*: //')" $host`, false},
				{`kill -0 $keeper`, false},
				{`kill -0 $host`, false},
				{`cat /proc/$host/environ`, false},
				{fmt.Sprintf(`bash -c 'exec 3<>/dev/tcp/127.0.0.1/%d'`, port), false},
				{`mknod "$root/null" c 1 3`, false},
				{`unshare -m true`, false},
			} {
				if err := os.WriteFile(filepath.Join(outside, "there"), nil, 0o600); err != nil {
					t.Fatal(err)
				}
				c := m.mode(line(fmt.Sprintf("root=%s outside=%s keeper=%d host=%d affinity='%s'\n%s", root, outside, keeperOf(t, h), os.Getpid(), ownAffinity, test.script)))
				c.Cwd = root
				out, exit := run(t, h, c)
				if works := exit.Status == (core.ExitStatus{}); works != test.works {
					t.Errorf("%s, %s: %s: got %v, %q", level, m.name, test.script, exit.Status, out)
				}
			}
		}
	}
}

// ownAffinity chooses the processors of another thread of its own process, in Python.
const ownAffinity = `import os, threading
end = threading.Event()
t = threading.Thread(target=end.wait)
t.start()
try: os.sched_setaffinity(t.native_id, os.sched_getaffinity(0))
finally: end.set()`

// Commands of one session can signal each other, those of another they can't: each
// session has a keeper of its own.
func TestSandboxSessions(t *testing.T) {
	h, root := sandboxed(t, hostnative.SandboxWorkspace)
	// signals reports whether a command signals another that is there.
	signals := func(from, to core.SessionID) bool {
		c := line(`echo $$; exec sleep 1000`)
		c.Cwd, c.Session = root, to
		p := start(t, h, c)
		defer p.Close()
		w := watchOutput(p)
		w.wait(t, "\n")
		c = line(`kill -0 "$1" 2>/dev/null`, strings.TrimSpace(w.output()))
		c.Cwd, c.Session = root, from
		_, exit := run(t, h, c)
		return exit.Status == core.ExitStatus{}
	}
	for range 20 {
		if signals("two", "one") {
			t.Fatal("a command signals one of another session")
		}
		if signals("one", "one") {
			return
		}
		// Other tests make files in the temporary directory, of which a part is hidden. If that was
		// between the two, the second command has another keeper.
	}
	t.Error("a command never signals one of its own session")
}

// Where something in a root is hidden, the rest of the root is granted entry by entry. What
// comes into it later is there for the next command, and the one before goes on.
func TestSandboxNewEntries(t *testing.T) {
	if err := confine.Available().Err(); err != nil {
		t.Skip("NOT RUN: ", err)
	}
	root := t.TempDir()
	hide := filepath.Join(root, "hide")
	if err := os.Mkdir(hide, 0o700); err != nil {
		t.Fatal(err)
	}
	h := newHost(t, hostnative.Config{Sandbox: hostnative.Sandbox{
		Level: hostnative.SandboxWorkspace, Required: true, Roots: []string{root}, Hide: []string{hide}, Private: t.TempDir(),
	}})
	in := func(script string) core.Command {
		c := line(script)
		c.Cwd = root
		return c
	}
	first := start(t, h, interactive(in(`echo up; read x; echo alive`)))
	said := watchOutput(first)
	said.wait(t, "up")
	for i := range 6 { // more than there may be keepers that were replaced
		name := fmt.Sprint("new", i)
		if err := os.WriteFile(filepath.Join(root, name), []byte("seen"), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, _ := run(t, h, in(`cat `+name)); out != "seen" {
			t.Errorf("%s: got %q", name, out)
		}
	}
	if out, exit := run(t, h, in(`ls hide`)); exit.Status == (core.ExitStatus{}) && out != "" {
		t.Errorf("got %q of what is hidden", out)
	}
	if _, err := first.Write([]byte("go on\n")); err != nil {
		t.Error(err)
	}
	said.wait(t, "alive")
}

// A session's keeper is started anew when there is something else to grant, and not for what is
// hidden, or has come and gone.
func TestSandboxSameKeeper(t *testing.T) {
	if err := confine.Available().Err(); err != nil {
		t.Skip("NOT RUN: ", err)
	}
	root := t.TempDir()
	in := func(name string) string { return filepath.Join(root, name) }
	write := func(name, text string) error { return os.WriteFile(in(name), []byte(text), 0o600) }
	replace := func(name, text string) error {
		return errors.Join(write("new", text), os.Rename(in("new"), in(name)))
	}
	link := func(to string) error { return errors.Join(os.Symlink(to, in("new")), os.Rename(in("new"), in("link"))) }
	if err := errors.Join(write("history", ""), write("seen", ""), write("a", "A"), write("b", "B"), link("a")); err != nil {
		t.Fatal(err)
	}
	h := newHost(t, hostnative.Config{Sandbox: hostnative.Sandbox{
		Level: hostnative.SandboxWorkspace, Required: true, Roots: []string{root}, Private: t.TempDir(),
		Hide: []string{in("history"), in("link"), in("absent")},
	}})
	ask := func() (keeper, files string) {
		t.Helper()
		c := line(`echo $PPID; cat seen a b history absent 2>/dev/null; :`)
		c.Cwd = root
		out, _ := run(t, h, c)
		keeper, files, _ = strings.Cut(out, "\n")
		return keeper, files
	}
	n := 0
	for _, test := range []struct {
		name   string
		change func() error
		same   bool
		files  string // what can be read then
	}{
		{"nothing", func() error { return nil }, true, "B"},
		{"a hidden file is replaced", func() error { return replace("history", "secret") }, true, "B"},
		{"a file comes and goes", func() error { return errors.Join(write("passing", ""), os.Remove(in("passing"))) }, true, "B"},
		{"a file is written", func() error { return write("seen", "old") }, true, "oldB"},
		{"a file is replaced", func() error {
			n++
			return replace("seen", fmt.Sprint(n))
		}, false, "1B"},
		{"a file is new", func() error {
			n++
			return write(fmt.Sprint("new", n), "")
		}, false, "1B"},
		{"a hidden file is new", func() error { return write("absent", "secret") }, false, "1B"},
		{"a hidden link leads elsewhere", func() error { return link("b") }, false, "1A"},
	} {
		// Other tests make files in the temporary directory, of which a part is hidden: then the
		// keeper is another one for that.
		for tries := 20; ; tries-- {
			before, _ := ask()
			if err := test.change(); err != nil {
				t.Fatal(err)
			}
			after, files := ask()
			if files != test.files {
				t.Errorf("%s: read %q, want %q", test.name, files, test.files)
			}
			if (before == after) == test.same {
				break
			}
			if !test.same || tries == 0 {
				t.Errorf("%s: got the keepers %s and %s, want the same one: %v", test.name, before, after, test.same)
				break
			}
		}
	}
}

// With strict too, what is hidden and comes into a directory that was handed over is hidden from
// the next command.
func TestSandboxStrictNewSecret(t *testing.T) {
	if err := confine.Available().Err(); err != nil {
		t.Skip("NOT RUN: ", err)
	}
	root := t.TempDir()
	secret := filepath.Join(root, "secret")
	h := newHost(t, hostnative.Config{Sandbox: hostnative.Sandbox{
		Level: hostnative.SandboxStrict, Required: true, Roots: []string{root}, Private: t.TempDir(), Hide: []string{secret},
	}})
	ask := func() string {
		t.Helper()
		c := line(`echo $PPID; cat secret 2>/dev/null; :`)
		c.Cwd = root
		out, _ := run(t, h, c)
		return out
	}
	if before, after := ask(), ask(); before != after || strings.Contains(before, "secret") {
		t.Errorf("got %q, then %q, want one keeper", before, after)
	}
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out := ask(); strings.Contains(out, "secret") {
		t.Errorf("read %q", out)
	}
}

// Whatever a confined command does to its keeper, it is told of, and nothing survives.
func TestSandboxKeeperKilled(t *testing.T) {
	for _, sig := range []string{"KILL", "STOP"} {
		t.Run(sig, func(t *testing.T) {
			if sig == "STOP" && testing.Short() {
				t.Skip("it waits until the keeper is given up")
			}
			t.Parallel()
			h, root := sandboxed(t, hostnative.SandboxWorkspace)
			// With two commands, one would not always end the other's keeper: where a start is
			// slow, the next one has a keeper of its own.
			p, fifo := startDaemonIn(t, h, root, daemon+`read x; kill -`+sig+` $PPID; sleep 1000`, func(c core.Command) core.Command {
				c.Cwd = root
				return interactive(c)
			})
			if _, err := p.Write([]byte("go on\n")); err != nil {
				t.Fatal(err)
			}
			if sig == "KILL" {
				if exit, err := p.Wait(); err == nil || exit.Reason != core.ReasonLost {
					t.Errorf("got %+v, %v, want it lost", exit, err)
				}
			}
			if err := p.Close(); err != nil {
				t.Error(err)
			}
			if _, err := io.ReadAll(fifo); err != nil { // the last one's end
				t.Error(err)
			}
		})
	}
}

// The keeper that confined ones are commands of may be killed, too.
func TestSandboxAboveKilled(t *testing.T) {
	h, root := sandboxed(t, hostnative.SandboxWorkspace)
	p, fifo := startDaemonIn(t, h, root, daemon+`wait; sleep 1000`, func(c core.Command) core.Command {
		c.Cwd = root
		return c
	})
	if err := unix.Kill(keeperOf(t, h), unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if exit, err := p.Wait(); err == nil || exit.Reason != core.ReasonLost {
		t.Errorf("got %+v, %v, want it lost", exit, err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if _, err := io.ReadAll(fifo); err != nil {
		t.Error(err)
	}
	c := line(`exit`)
	c.Cwd = root
	run(t, h, c)
}

func rule(t *testing.T, text string) egress.Rule {
	t.Helper()
	r, err := egress.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// What is no sandbox is an error, and never a weaker run.
func TestSandboxRefused(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir()) // where its temporary files are: there may be no home
	root := t.TempDir()
	for name, c := range map[string]hostnative.Config{
		`sandbox level "loose"`:       {Sandbox: hostnative.Sandbox{Level: "loose"}},
		`/no/such/root`:               {Sandbox: hostnative.Sandbox{Level: "strict", Roots: []string{"/no/such/root"}}},
		`sandbox net example.org`:     {Sandbox: hostnative.Sandbox{Level: "strict", Roots: []string{root}, Net: []egress.Rule{rule(t, "10.0.0.1"), rule(t, "example.org")}}},
		`helper "bin/helper"`:         {Helper: "bin/helper"},
		`no sandbox without a keeper`: {NoKeeper: true, Sandbox: hostnative.Sandbox{Level: "strict", Roots: []string{root}}},
	} {
		if h, err := hostnative.New(c); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, %v, want %s", h, err, name)
		}
	}
	// It takes no proxy to connect to these.
	for _, text := range []string{"10.0.0.1", "localhost:5432", "[::1]:80"} {
		if confine.Available().Err() != nil {
			break
		}
		newHost(t, hostnative.Config{Sandbox: hostnative.Sandbox{Level: "strict", Roots: []string{root}, Net: []egress.Rule{rule(t, text)}}})
	}
	h := newHost(t, hostnative.Config{Helper: "/bin/true", Sandbox: hostnative.Sandbox{Level: "strict", Roots: []string{root}}})
	e, err := h.Resolve(t.Context(), line(`exit`))
	if err != nil {
		t.Fatal(err)
	}
	if p, err := h.Start(t.Context(), e); err == nil || !strings.Contains(err.Error(), "no sandbox") {
		t.Errorf("with a helper that is none: got %v, %v", p, err)
	}
}

// A command that puts a link in the place of a directory which is handed over, and lies in another
// one, has not got what the link leads to: not the next command either, in a new keeper.
func TestSandboxRootReplaced(t *testing.T) {
	if err := confine.Available().Err(); err != nil {
		t.Skip("NOT RUN: ", err)
	}
	root, outside := t.TempDir(), t.TempDir()
	inner := filepath.Join(root, "inner")
	if err := os.Mkdir(inner, 0o700); err != nil {
		t.Fatal(err)
	}
	h := newHost(t, hostnative.Config{Sandbox: hostnative.Sandbox{
		Level: hostnative.SandboxWorkspace, Required: true, Roots: []string{root}, Write: []string{inner}, Private: t.TempDir(),
	}})
	c := line(fmt.Sprintf("mv inner old && ln -s %s inner", outside))
	c.Cwd, c.Session = root, "one"
	if out, exit := run(t, h, c); exit.Status != (core.ExitStatus{}) {
		t.Fatalf("got %v, %q", exit.Status, out)
	}
	c = line("echo x >inner/new")
	c.Cwd, c.Session = root, "two" // which has a keeper of its own
	err := attempt(t, h, c)
	if err == nil || !strings.Contains(err.Error(), "is a link in a directory that commands can write") {
		t.Errorf("got %v", err)
	}
	if names, err := os.ReadDir(outside); err != nil || len(names) > 0 {
		t.Errorf("a command has written outside: %v, %v", names, err)
	}
}

// attempt runs a command, and returns the error of its start.
func attempt(t *testing.T, h *hostnative.Host, c core.Command) error {
	t.Helper()
	e, err := h.Resolve(t.Context(), c)
	if err != nil {
		return err
	}
	p, err := h.Start(t.Context(), e)
	if err != nil {
		return err
	}
	defer p.Close()
	_, err = p.Wait()
	return err
}
