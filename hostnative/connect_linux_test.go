package hostnative_test

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/egress"
	"github.com/terrarium-dev/terrarium/hostnative"
	"github.com/terrarium-dev/terrarium/hostnative/internal/confine"
)

// connecting is sandboxed with what may be connected to.
func connecting(t *testing.T, s hostnative.Sandbox, rules ...string) (*hostnative.Host, string) {
	t.Helper()
	if r := confine.Available(); r.Err() != nil || !r.Notify || !r.GetFD {
		t.Skip("NOT RUN: this kernel lacks: ", r.Missing)
	}
	root := t.TempDir()
	s.Level, s.Required, s.Roots, s.Private = hostnative.SandboxWorkspace, true, []string{root}, t.TempDir()
	for _, text := range rules {
		rule, err := egress.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		s.Net = append(s.Net, rule)
	}
	return newHost(t, hostnative.Config{Sandbox: s}), root
}

// sockets is a command that does these things with sockets: see beSockets.
func sockets(t *testing.T, dir string, verbs ...string) core.Command {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return core.Command{
		Command: self, Args: verbs, Cwd: dir, Session: "one",
		Env: []core.EnvVariable{{Name: hostMode, Value: "sockets"}},
	}
}

// listenOutside has this program, which is in no sandbox, listen. It counts who comes.
func listenOutside(t *testing.T, network, address string) (net.Listener, func() int) {
	t.Helper()
	l, err := net.Listen(network, address)
	if err != nil {
		t.Skip("NOT RUN: ", err)
	}
	met := make(chan int, 1)
	go func() {
		n := 0
		for {
			c, err := l.Accept()
			if err != nil {
				met <- n
				return
			}
			n++
			c.Close()
		}
	}()
	t.Cleanup(func() { l.Close() })
	return l, func() int {
		// One of ours comes last, and is taken when all before it were: Close drops who waits.
		c, err := net.Dial(network, l.Addr().String())
		if err != nil {
			t.Error(err)
		} else {
			c.Read(make([]byte, 1))
			c.Close()
		}
		l.Close()
		return <-met - 1
	}
}

func checkLines(t *testing.T, out string, want ...string) {
	t.Helper()
	got := outputLines(out)
	for i, line := range want {
		if i >= len(got) || !match(line, got[i]) {
			t.Errorf("got:\n%s\nwant:\n%s", out, strings.Join(want, "\n"))
			return
		}
	}
	if len(got) > len(want) {
		t.Errorf("got more lines than %d:\n%s", len(want), out)
	}
}

// match reports whether got is want, where * stands for anything.
func match(want, got string) bool {
	before, after, any := strings.Cut(want, "*")
	if !any {
		return want == got
	}
	return strings.HasPrefix(got, before) && strings.HasSuffix(got, after)
}

// What is outside is refused, and the command's output ends with that. Where nobody
// listens, that is what a command hears: it may wait for a server of its own.
func TestConnectOutside(t *testing.T) {
	h, root := connecting(t, hostnative.Sandbox{})
	l4, met4 := listenOutside(t, "tcp4", "127.0.0.1:0")
	l6, met6 := listenOutside(t, "tcp", "[::]:0")
	path, metPath := listenOutside(t, "unix", filepath.Join(t.TempDir(), "socket"))
	below, metBelow := listenOutside(t, "unix", filepath.Join(root, "not-ours"))
	port := l6.Addr().(*net.TCPAddr).Port
	free, _ := listenOutside(t, "tcp4", "127.0.0.1:0")
	free.Close()
	out, _ := run(t, h, sockets(t, root,
		"connect "+l4.Addr().String(),
		"poll "+l4.Addr().String(),
		fmt.Sprintf("connect [::1]:%d", port),
		fmt.Sprintf("connect 127.0.0.1:%d", port),
		fmt.Sprintf("connect 0.0.0.0:%d", port),
		fmt.Sprintf("connect [::]:%d", port),
		fmt.Sprintf("connect [::ffff:127.0.0.1]:%d", port),
		"connect 8.8.8.8:53",
		"connect 169.254.169.254:80",
		"connect "+path.Addr().String(),
		"connect "+below.Addr().String(),
		"connect ./not-ours",
		"connect @abstract",
		"bind @abstract",
		"bind 8.8.8.8:0",
		"connect "+free.Addr().String(),
		"connect ./nothing",
		"unspec 127.0.0.1:0",
		"bad "+l4.Addr().String(),
	))
	want := slices.Repeat([]string{"EACCES"}, 15)
	want = append(want, "ECONNREFUSED", "ENOENT", "EAFNOSUPPORT", "EBADF EBADF EFAULT EINVAL EINVAL EINVAL EINVAL EINVAL ENOTSOCK",
		"terrarium: connect to "+l4.Addr().String()+" is refused: it is a loopback address; to allow it, add --net *",
		"terrarium: connect to *",
		"terrarium: connect to *",
		"terrarium: connect to 8.8.8.8:53 is refused: it is listed by no rule; to allow it, add --net 8.8.8.8:53",
		"terrarium: connect to *",
		`terrarium: connect to "`+path.Addr().String()+`" is refused: *`,
		"terrarium: connect to *",
		"terrarium: connect to an abstract unix socket is refused: *",
		"terrarium: and more of the kind",
	)
	checkLines(t, out, want...)
	for _, met := range []func() int{met4, met6, metPath, metBelow} {
		if n := met(); n != 0 {
			t.Errorf("%d connections came through", n)
		}
	}
}

// What commands of a session have bound, others of it reach, and those of another
// session don't. All addresses are loopback.
func TestConnectOwn(t *testing.T) {
	h, root := connecting(t, hostnative.Sandbox{})
	server := start(t, h, sockets(t, root,
		"serve 127.0.0.1:0", "serve 0.0.0.0:0", "serve [::]:0", "serve ./here", "quietly", "serve ./quiet", "name ./other", "listen 0.0.0.0:0", "wait"))
	said := watchOutput(server)
	said.wait(t, "./other\n127.0.0.1\n")
	at := outputLines(said.output())
	for i, want := range []string{"127.0.0.1:*", "127.0.0.1:*", "[::ffff:127.0.0.1]:*", "./here", "ok", "./quiet", "./other", "127.0.0.1"} {
		if !match(want, at[i]) {
			t.Errorf("server %d: got %q, want %q", i, at[i], want)
		}
	}
	for name, want := range map[string]os.FileMode{"here": 0o777 &^ umask(), "quiet": 0o700} {
		info, err := os.Stat(filepath.Join(root, name))
		if err != nil || info.Mode() != want|os.ModeSocket {
			t.Errorf("%s: got %v, %v, want %v", name, info.Mode(), err, want)
		}
	}
	sub := filepath.Join(root, "sub")
	if err := os.Mkdir(sub, 0o777); err != nil {
		t.Fatal(err)
	}
	everywhere := strings.TrimPrefix(at[1], "127.0.0.1")
	verbs := []string{
		"connect " + at[0], "poll " + at[0], "connect 0.0.0.0" + everywhere, "connect " + at[2],
		"connect 127.0.0.1" + at[2][strings.LastIndex(at[2], ":"):], "connect " + root + "/here", "chdir " + sub, "connect ../here", "connect ../quiet",
	}
	out, _ := run(t, h, sockets(t, root, verbs...))
	checkLines(t, out, slices.Repeat([]string{"ok"}, len(verbs))...)

	other := sockets(t, root, "connect "+at[0], "connect ./here")
	other.Session = "two"
	out, _ = run(t, h, other)
	checkLines(t, out, "EACCES", "EACCES", "terrarium: *", "terrarium: *")

	if err := server.Close(); err != nil {
		t.Error(err)
	}
	// A port that was the session's and is now somebody else's.
	l, err := net.Listen("tcp", at[0])
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	out, _ = run(t, h, sockets(t, root, "connect "+at[0]))
	checkLines(t, out, "EACCES", "terrarium: *")
}

// A command takes no port of localhost that a program of its user has in the other family,
// 127.0.0.1 or ::1: who connects to localhost would reach one or the other.
func TestBindBesideOthers(t *testing.T) {
	h, root := connecting(t, hostnative.Sandbox{})
	l4, _ := listenOutside(t, "tcp4", "127.0.0.1:0")
	l6, _ := listenOutside(t, "tcp6", "[::1]:0")
	out, _ := run(t, h, sockets(t, root,
		"bind [::1]:"+port(l4), "bind 127.0.0.1:"+port(l6), "bind 0.0.0.0:"+port(l6), "serveboth"))
	checkLines(t, out, "EADDRINUSE", "EADDRINUSE", "EADDRINUSE", "ok")
}

func umask() os.FileMode {
	mask := unix.Umask(0)
	unix.Umask(mask)
	return os.FileMode(mask)
}

// Paths are bound where commands may write, and nowhere else, whatever leads there.
func TestBindPaths(t *testing.T) {
	h, root := connecting(t, hostnative.Sandbox{})
	outside := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	out, _ := run(t, h, sockets(t, root, "at", "options"))
	checkLines(t, out, "ok", "ok")
	out, _ = run(t, h, sockets(t, root,
		"bind "+outside+"/socket", "bind link/socket", "bind ../socket", "bind "+fmt.Sprintf("/proc/%d/cwd/socket", os.Getpid()),
		"bind ./link", "bind ./"+strings.Repeat("x", 200), "name "+root+"/./a/../socket", "name "+root+"/socket", "chdir /", "bind "+root+"/socket"))
	checkLines(t, out, "EACCES", "EACCES", "EACCES", "*", "EADDRINUSE", "EINVAL", "ENOENT", root+"/socket", "ok", "EADDRINUSE")
	if list, _ := os.ReadDir(outside); len(list) > 0 {
		t.Errorf("made %v", list)
	}
}

// What the host lists can be connected to.
func TestConnectListed(t *testing.T) {
	tcp, metTCP := listenOutside(t, "tcp4", "127.0.0.1:0")
	path := filepath.Join(t.TempDir(), "socket")
	h, root := connecting(t, hostnative.Sandbox{Sockets: []string{path}}, "localhost:"+port(tcp))
	_, metPath := listenOutside(t, "unix", path) // later than the host
	out, _ := run(t, h, sockets(t, root, "connect "+tcp.Addr().String(), "poll "+tcp.Addr().String(), "connect "+path))
	checkLines(t, out, "ok", "ok", "ok")
	if n := metTCP(); n != 2 {
		t.Errorf("got %d connections, want 2", n)
	}
	if n := metPath(); n != 1 {
		t.Errorf("got %d connections to the path, want 1", n)
	}
}

func port(l net.Listener) string { return fmt.Sprint(l.Addr().(*net.TCPAddr).Port) }

// A command that may write where a listed socket is reaches no other by a link there.
func TestConnectListedLink(t *testing.T) {
	other, met := listenOutside(t, "unix", filepath.Join(t.TempDir(), "other"))
	write := t.TempDir()
	h, root := connecting(t, hostnative.Sandbox{Sockets: []string{write + "/listed"}, Write: []string{write}})
	if err := os.Symlink(other.Addr().String(), write+"/listed"); err != nil {
		t.Fatal(err)
	}
	out, _ := run(t, h, sockets(t, root, "connect "+write+"/listed"))
	checkLines(t, out, "EACCES", "terrarium: *")
	if n := met(); n != 0 {
		t.Errorf("%d connections came through", n)
	}
}

// An address that changes while it is decided about is the one that was decided about.
func TestConnectRace(t *testing.T) {
	listed, _ := listenOutside(t, "tcp4", "127.0.0.1:0")
	other, met := listenOutside(t, "tcp4", "127.0.0.1:0")
	path, _ := listenOutside(t, "unix", filepath.Join(t.TempDir(), "listed"))
	otherPath, metPath := listenOutside(t, "unix", filepath.Join(t.TempDir(), "other"))
	h, root := connecting(t, hostnative.Sandbox{Sockets: []string{path.Addr().String()}}, "localhost:"+port(listed))
	outside := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, "in"), 0o777); err != nil {
		t.Fatal(err)
	}
	out, _ := run(t, h, sockets(t, root,
		fmt.Sprintf("race 200 %v %v", listed.Addr(), other.Addr()),
		fmt.Sprintf("racelink 200 %s/link %v %v", root, path.Addr(), otherPath.Addr()),
		fmt.Sprintf("racebind 200 %s/dir %s/in %s", root, root, outside)))
	checkLines(t, strings.Join(outputLines(out)[:3], "\n"), "ok", "ok", "ok")
	if n := met() + metPath(); n != 0 {
		t.Errorf("%d connections came through", n)
	}
	if list, _ := os.ReadDir(outside); len(list) > 0 {
		t.Errorf("made %d sockets outside", len(list))
	}
}

// A command that is undumpable is told why it can't connect.
func TestConnectUndumpable(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root takes the sockets of anybody")
	}
	l, _ := listenOutside(t, "tcp4", "127.0.0.1:0")
	h, root := connecting(t, hostnative.Sandbox{}, "localhost:"+port(l))
	out, _ := run(t, h, sockets(t, root, "undumpable", "connect "+l.Addr().String()))
	checkLines(t, out, "ok", "EACCES", "terrarium: connect is refused: the program lets nobody take its sockets (it is undumpable)")
}

// Connections that take for ever keep neither others waiting nor the terminal alive.
func TestConnectHangs(t *testing.T) {
	// Go keeps its threads: other tests count them.
	if os.Getenv("TERRARIUM_TEST_ALONE") == "" {
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		alone := exec.Command(self, "-test.run=^TestConnectHangs$")
		alone.Env = append(os.Environ(), "TERRARIUM_TEST_ALONE=1")
		if out, err := alone.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
		return
	}
	path := filepath.Join(t.TempDir(), "full")
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	if err := unix.Bind(fd, &unix.SockaddrUnix{Name: path}); err != nil {
		t.Fatal(err)
	}
	if err := unix.Listen(fd, 0); err != nil { // and it takes nobody
		t.Fatal(err)
	}
	h, root := connecting(t, hostnative.Sandbox{Sockets: []string{path}})
	p := start(t, h, sockets(t, root, "exhaust "+path, "wait"))
	said := watchOutput(p)
	said.wait(t, "\n")
	if got := said.output(); got != "true\n" {
		t.Errorf("got %q", got)
	}
	begun := time.Now()
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if took := time.Since(begun); took > 15*time.Second {
		t.Errorf("Close took %v", took)
	}
	for all := make([]byte, 1<<20); bytes.Contains(all[:runtime.Stack(all, true)], []byte("broker.connect(")); {
		if time.Since(begun) > patience {
			t.Fatal("it is still being connected, though nobody waits for it")
		}
		time.Sleep(time.Millisecond)
	}
}

// What is no place to connect to is an error of New.
func TestConnectRefused(t *testing.T) {
	_, err := hostnative.New(hostnative.Config{Sandbox: hostnative.Sandbox{Level: "workspace", Private: t.TempDir(), Sockets: []string{"socket"}}})
	if err == nil || !strings.Contains(err.Error(), `sandbox socket "socket": not an absolute path`) {
		t.Errorf("got %v", err)
	}
}
