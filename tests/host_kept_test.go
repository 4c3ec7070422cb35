package tests

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver/remote"
)

// A keptEnd is a farEnd whose host is kept by the name of "host".
type keptEnd struct {
	*farEnd
	dir string // of the sockets
}

// newKeptEnd has sockets of its own. It ends the host with the test.
func newKeptEnd(t *testing.T, args ...string) *keptEnd {
	t.Helper()
	// That of the test is too long for a socket.
	tmp, err := os.MkdirTemp("/tmp", "kept")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(tmp) })
	k := &keptEnd{newFarEnd(t, append([]string{"--keep", "host"}, args...)...), filepath.Join(tmp, "terrarium-host-"+strconv.Itoa(os.Geteuid()))}
	k.env = []string{"TMPDIR=" + tmp}
	t.Cleanup(func() { k.terrarium("host", "stop", "host") }) // if it is still there
	return k
}

// terrarium runs a command beside it.
func (k *keptEnd) terrarium(args ...string) (stdout string, err error) {
	cmd := exec.CommandContext(limited(k.t), "terrarium", args...)
	cmd.Env = append(os.Environ(), k.env...)
	out, err := cmd.Output()
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		err = errors.New(string(e.Stderr))
	}
	return string(out), err
}

// A keptHost is what "host list --json" tells of one.
type keptHost struct {
	Name                     string
	PID, Sessions, Terminals int
	IdleMs                   int64
	Error                    string
}

func (k *keptEnd) list() []keptHost {
	k.t.Helper()
	out, err := k.terrarium("host", "list", "--json")
	var l struct{ Hosts []keptHost }
	if err == nil {
		err = json.Unmarshal([]byte(out), &l)
	}
	if err != nil {
		k.t.Fatalf("%s: %v", out, err)
	}
	return l.Hosts
}

// one returns the host, of which there is one.
func (k *keptEnd) one() keptHost {
	k.t.Helper()
	l := k.list()
	if len(l) != 1 || l[0].Name != "host" || l[0].Error != "" {
		k.t.Fatalf("got %+v, want the one that is called host", l)
	}
	return l[0]
}

// nothing waits until nothing is left of a host.
func (k *keptEnd) nothing(pid int) {
	k.t.Helper()
	(&faultTest{T: k.t, ctx: limited(k.t)}).gone(strconv.Itoa(pid))
	eventually(k.t, func() bool {
		left, _ := filepath.Glob(filepath.Join(k.dir, "*"))
		return len(left) == 0
	})
}

// states returns a Config that sends what becomes of the link.
func states() (remote.Config, chan remote.State) {
	c := make(chan remote.State, 1000)
	return remote.Config{OnState: func(s remote.State) { c <- s }}, c
}

// await waits for a state of the link.
func await(t *testing.T, states chan remote.State, want remote.Link) remote.State {
	t.Helper()
	for ctx := limited(t); ; {
		select {
		case s := <-states:
			if s.Link == want {
				return s
			}
		case <-ctx.Done():
			t.Fatalf("it is never %v", want)
		}
	}
}

// A command outlives what its connection goes over, whatever becomes of that, and ends as it would
// have. The host has a session of processes of its own and none of our descriptors.
func TestHostKept(t *testing.T) {
	t.Parallel()
	k := newKeptEnd(t)
	c, links := states()
	d, h, r := k.connect(c)
	pid := k.one().PID
	if sid, err := unix.Getsid(pid); err != nil || sid != pid {
		t.Errorf("got session %d and %v, want %d", sid, err, pid)
	}
	if stderr, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/fd/2"); err == nil && stderr != os.DevNull {
		t.Errorf("got standard error %s, want none", stderr)
	}
	file := filepath.Join(t.TempDir(), "file")
	term, err := d.Create(limited(t), "s", core.Command{Command: `echo one; while ! test -e "` + file + `"; do sleep 0.01; done; echo two; exit 3`})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM, syscall.SIGHUP} {
		r.cmd.Process.Signal(s)
		r.exits(t, -1)
		await(t, links, remote.Resumed)
		r = <-k.relays
	}
	r.Close() // as ssh does
	await(t, links, remote.Resumed)
	syscall.Kill(pid, syscall.SIGHUP) // and as a login that ends
	if got := k.one(); got != (keptHost{Name: "host", PID: pid, Sessions: 1, Terminals: 1}) {
		t.Errorf("got %+v, want the same with its terminal", got)
	}
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	exit, err := term.Wait(limited(t))
	out, _ := term.Output()
	if err != nil || exit.Status != (core.ExitStatus{ExitCode: 3}) || string(out) != "one\ntwo\n" {
		t.Errorf("got %q, %v and %v, want both lines and exit 3", out, exit, err)
	}
	d.Close()
	h.Close()
	k.nothing(pid) // with its last session
}

// When a holder is killed its commands are, too, and their terminals are told. The next connection
// finds a socket of nobody's.
func TestHostKeptHolderKilled(t *testing.T) {
	t.Parallel()
	k := newKeptEnd(t)
	c, links := states()
	d, _, _ := k.connect(c)
	term, command := sleeps(t, d)
	pid := k.one().PID
	syscall.Kill(pid, syscall.SIGKILL)
	lost(t, term)
	if err := await(t, links, remote.Lost).Err; !strings.Contains(err.Error(), "it has forgotten the session") {
		t.Errorf("got %v, want it to have forgotten the session", err)
	}
	(&faultTest{T: t, ctx: limited(t)}).gone(command)
	k.nothing(pid)
}

// What nobody comes back for is killed when the time is over.
func TestHostKeptLinger(t *testing.T) {
	t.Parallel()
	k := newKeptEnd(t, "--linger", "1s")
	var dialed sync.Once
	dial := func(ctx context.Context) (conn io.ReadWriteCloser, err error) {
		err = errors.New("no route to host")
		dialed.Do(func() { conn, err = k.dial(ctx) })
		return conn, err
	}
	h, err := remote.Connect(limited(t), remote.Config{Dial: dial})
	if err != nil {
		t.Fatal(err)
	}
	d, r := drive(t, h), <-k.relays
	term, command := sleeps(t, d)
	pid := k.one().PID
	r.cmd.Process.Kill()
	(&faultTest{T: t, ctx: limited(t)}).gone(command)
	k.nothing(pid)
	lost(t, term)
}

// Of many that start a host at once one does, and all are served by it.
func TestHostKeptAtOnce(t *testing.T) {
	t.Parallel()
	k := newKeptEnd(t)
	const many = 5
	var all sync.WaitGroup
	hosts := make([]*remote.Host, many)
	for i := range hosts {
		all.Go(func() {
			h, err := remote.Connect(limited(t), remote.Config{Dial: k.dial})
			if err != nil {
				t.Error(err)
				return
			}
			hosts[i] = h
			if got := run(t, drive(t, h), core.Command{Command: "echo well"}); got != "well\n" {
				t.Errorf("got %q, want it to be well", got)
			}
		})
	}
	all.Wait()
	if t.Failed() {
		return
	}
	one := k.one()
	if one.Sessions != many {
		t.Errorf("got %d sessions, want %d", one.Sessions, many)
	}
	for _, h := range hosts {
		h.Close()
	}
	k.nothing(one.PID)
}

// A holder whose socket somebody has removed leaves that of the next one alone.
func TestHostKeptTidied(t *testing.T) {
	t.Parallel()
	k := newKeptEnd(t)
	_, first, _ := k.connect(remote.Config{})
	pid := k.one().PID
	if err := os.Remove(filepath.Join(k.dir, "host.sock")); err != nil {
		t.Fatal(err)
	}
	d, _, _ := k.connect(remote.Config{})
	first.Close()
	(&faultTest{T: t, ctx: limited(t)}).gone(strconv.Itoa(pid))
	if got := k.one(); got.PID == pid {
		t.Errorf("got %+v, want another", got)
	}
	if got := run(t, d, core.Command{Command: "echo well"}); got != "well\n" {
		t.Errorf("got %q, want it to be well", got)
	}
}

func TestHostStop(t *testing.T) {
	t.Parallel()
	k := newKeptEnd(t)
	c, links := states()
	d, _, _ := k.connect(c)
	term, command := sleeps(t, d)
	pid := k.one().PID
	if out, err := k.terrarium("host", "list"); err != nil || out != "host  pid "+strconv.Itoa(pid)+"  1 session  1 terminal  connected\n" {
		t.Errorf("got %q and %v", out, err)
	}
	if _, err := k.terrarium("host", "stop", "host"); err != nil {
		t.Error(err)
	}
	if alive(command) {
		t.Errorf("the command lives on")
	}
	lost(t, term)
	if err := await(t, links, remote.Lost).Err; !strings.Contains(err.Error(), "the far side has ended") {
		t.Errorf("got %v, want it to say that the far side has ended", err)
	}
	k.nothing(pid)
	if _, err := k.terrarium("host", "stop", "host"); err == nil || err.Error() != "terrarium: host host: no host of that name is kept here\n" {
		t.Errorf("got %v, want no host of that name", err)
	}
}

// A host that is kept with other flags is another one: it may have no sandbox.
func TestHostKeptFlags(t *testing.T) {
	t.Parallel()
	k := newKeptEnd(t)
	k.connect(remote.Config{})
	k.args = append(k.args, "--env", "A=1")
	k.refused("a host of that name is kept that was started with other flags")
}

// refused checks that there is no connection, for that reason.
func (k *keptEnd) refused(why string) {
	k.t.Helper()
	r, err := k.start()
	if err != nil {
		k.t.Fatal(err)
	}
	defer r.Close()
	r.exits(k.t, 1)
	if got := r.stderr.String(); !strings.Contains(got, why) || strings.Count(got, "\n") != 1 {
		k.t.Errorf("got %q, want one line with %q", got, why)
	}
}

// Why a host does not start is told where the connection is.
func TestHostKeptRefused(t *testing.T) {
	t.Parallel()
	k := newKeptEnd(t, "--cwd", "/no/such/directory")
	k.refused("terrarium: --cwd: stat /no/such/directory: no such file or directory\n")
	if l := k.list(); len(l) != 0 {
		t.Errorf("got %+v, want none", l)
	}
}

// The directory of the sockets is ours alone, and so is each socket.
func TestHostKeptPrivate(t *testing.T) {
	t.Parallel()
	k := newKeptEnd(t)
	k.connect(remote.Config{})
	for path, want := range map[string]os.FileMode{k.dir: os.ModeDir | 0o700, filepath.Join(k.dir, "host.sock"): os.ModeSocket | 0o600} {
		if info, err := os.Lstat(path); err != nil || info.Mode() != want {
			t.Errorf("%s: got %v and %v, want %v", path, info.Mode(), err, want)
		}
	}

	for name, spoil := range map[string]func(dir string) error{
		"open to others": func(dir string) error { return errors.Join(os.Mkdir(dir, 0o700), os.Chmod(dir, 0o755)) },
		"a link":         func(dir string) error { return os.Symlink(t.TempDir(), dir) },
		"a file":         func(dir string) error { return os.WriteFile(dir, nil, 0o700) },
	} {
		k := newKeptEnd(t)
		if err := spoil(k.dir); err != nil {
			t.Fatal(err)
		}
		t.Log(name)
		k.refused("is not a directory that only you may enter: remove it, or set TMPDIR to another")
	}
}

// No command in a sandbox moves the socket or connects to it, also where the directory around it is
// handed over.
func TestHostKeptHidden(t *testing.T) {
	t.Parallel()
	if !hasSandbox() {
		t.Skip("native commands can't be confined here")
	}
	k := newKeptEnd(t)
	k.connect(remote.Config{})
	out, err := k.terrarium("run", "--sandbox", "workspace", "--cwd", filepath.Dir(k.dir), "--", "mv terrarium-host-* taken; mv */host.sock taken; terrarium host stop host; echo tried $?")
	if out != "tried 1\n" || err != nil {
		t.Errorf("got %q and %v, want that it has tried in vain", out, err)
	}
	if got := k.one(); got.Sessions != 1 {
		t.Errorf("got %+v, want it to be as it was", got)
	}
}

// Who answers something else is not taken for a host.
func TestHostKeptStranger(t *testing.T) {
	t.Parallel()
	k := newKeptEnd(t)
	if err := os.Mkdir(k.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(k.dir, "host.sock"))
	if err != nil {
		t.Fatal(err)
	}
	answering := make(chan struct{})
	go func() {
		defer close(answering)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			bufio.NewReader(conn).ReadString('\n')
			io.WriteString(conn, "220 mail\r\n")
			conn.Close()
		}
	}()
	k.refused("it is of another version")
	l.Close()
	<-answering
}
