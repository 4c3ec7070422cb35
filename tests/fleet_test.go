package tests

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A fleetBox is a fleet of real programs on loopback.
type fleetBox struct {
	*testing.T
	env          []string // of its programs, beside this one's; of two values the last one counts
	dir, url     string   // url is "" until it is served
	worker, user string   // files of credentials
	server       *fleetProgram
}

// A fleetProgram is one that runs until it is told to end.
type fleetProgram struct {
	cmd       *exec.Cmd
	out, errs syncBuffer
	exited    chan struct{} // closed when it has
}

func newFleetBox(t *testing.T, env ...string) *fleetBox {
	t.Helper()
	nativeHost(t)
	b := &fleetBox{T: t, env: env, dir: filepath.Join(t.TempDir(), "state")}
	b.serve()
	b.worker = filepath.Join(b.dir, "tenants", "default", "worker.creds")
	b.user = filepath.Join(b.dir, "tenants", "default", "user.creds")
	return b
}

// start starts terrarium, which is killed when the test ends.
func (b *fleetBox) start(env string, args ...string) *fleetProgram {
	b.Helper()
	cmd := exec.Command("terrarium", args...)
	cmd.Env = b.environ(env)
	return b.startProgram(cmd)
}

// environ is the environment of a program of the fleet.
func (b *fleetBox) environ(more ...string) []string {
	return slices.Concat(os.Environ(), b.env, more)
}

// startProgram starts any program, which is killed when the test ends.
func (b *fleetBox) startProgram(cmd *exec.Cmd) *fleetProgram {
	b.Helper()
	p := &fleetProgram{cmd: cmd, exited: make(chan struct{})}
	p.cmd.Stdout = &p.out
	if p.cmd.Stderr == nil {
		p.cmd.Stderr = &p.errs
	}
	if err := p.cmd.Start(); err != nil {
		b.Fatal(err)
	}
	go func() { // ends with the program
		p.cmd.Wait()
		close(p.exited)
	}()
	b.Cleanup(func() {
		p.cmd.Process.Kill()
		<-p.exited
	})
	return p
}

// serve starts the server, on a port that is free, or on the one that it had before.
func (b *fleetBox) serve() {
	b.Helper()
	b.server = b.start("", "fleet", "serve", "--dir", b.dir, "--listen", cmp.Or(strings.TrimPrefix(b.url, "nats://"), "127.0.0.1:0"))
	b.until("the server is there", func() bool {
		select {
		case <-b.server.exited:
			b.Fatalf("the server has ended: %s", &b.server.errs)
		default:
		}
		return strings.Contains(b.server.out.String(), "\nuse:")
	})
	b.url, _, _ = strings.Cut(strings.TrimPrefix(b.server.out.String(), "fleet at "), ",")
}

func (b *fleetBox) join(name string, slots int, args ...string) *fleetProgram {
	b.Helper()
	args = append([]string{"fleet", "join", "--name", name, "--slots", strconv.Itoa(slots), "--creds", b.worker}, args...)
	return b.start("", append(args, b.url)...)
}

// run starts a command in the fleet.
func (b *fleetBox) run(script string, flags ...string) *fleetProgram {
	b.Helper()
	args := append([]string{"run", "--on", "fleet:" + b.url, "--place-timeout", "4m", "--cwd", "/"}, flags...)
	return b.start("NATS_CREDS="+b.user, append(args, "--", "sh", "-c", script)...)
}

// until waits for something that has to come.
func (b *fleetBox) until(what string, is func() bool) {
	b.Helper()
	ctx := limited(b.T)
	for !is() {
		select {
		case <-ctx.Done():
			b.Fatalf("never: %s", what)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// status waits until a program has exited.
func (b *fleetBox) status(p *fleetProgram) int {
	b.Helper()
	select {
	case <-p.exited:
	case <-limited(b.T).Done():
		b.Fatalf("it does not end: %s", &p.errs)
	}
	return p.cmd.ProcessState.ExitCode()
}

// pid returns the process that a command has named in its first line.
func (b *fleetBox) pid(p *fleetProgram) int {
	b.Helper()
	b.until("a command has started", func() bool { return strings.Contains(p.out.String(), "\n") })
	line, _, _ := strings.Cut(p.out.String(), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		b.Fatal(err)
	}
	return pid
}

// TestFleet has three workers: they fill up, and the next one waits. One is killed: who had a
// terminal there is told, nobody else is, and nothing of it is left. One drains, the server starts
// again, and nothing is lost.
func TestFleet(t *testing.T) {
	watchModule(t)
	b := newFleetBox(t)
	file := filepath.Join(t.TempDir(), "end")
	const waits = `echo $$; while ! test -e '%s'; do sleep 0.05; done; echo end`
	workers := make(map[string]*fleetProgram)
	runs := make(map[string][]*fleetProgram)
	for _, name := range []string{"one", "two", "three"} {
		workers[name] = b.join(name, 2, "--label", "name="+name)
		for range 2 {
			p := b.run(fmt.Sprintf(waits, file), "--label", "name="+name)
			runs[name] = append(runs[name], p)
		}
	}
	for _, list := range runs {
		for _, p := range list {
			b.pid(p)
		}
	}
	next := b.run("echo placed", "--label", "name=two")
	b.until("the next one waits", func() bool { return strings.Contains(next.errs.String(), "2 of 2 slots taken, 1 wait") })

	workers["one"].cmd.Process.Kill()
	for _, p := range runs["one"] {
		if status := b.status(p); status != 125 || !strings.Contains(p.errs.String(), "lost: worker one: it is gone") {
			t.Errorf("got %d and %q, want that it is lost", status, &p.errs)
		}
		pid := b.pid(p)
		b.until("nothing is left of it", func() bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) })
	}

	drain := b.start("NATS_CREDS="+b.worker, "fleet", "drain", b.url, "three")
	if status := b.status(drain); status != 0 || drain.out.String() != "three takes no more sessions, and has 2\n" {
		t.Errorf("drain: got %d, %q and %q", status, &drain.out, &drain.errs)
	}
	b.server.cmd.Process.Kill()
	<-b.server.exited
	b.serve()
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"two", "three"} {
		for _, p := range runs[name] {
			status := b.status(p)
			if _, out, _ := strings.Cut(p.out.String(), "\n"); status != 0 || out != "end\n" || strings.Contains(p.errs.String(), ": lost: ") {
				t.Errorf("%s: got %d, %q and %q, want its end", name, status, &p.out, &p.errs)
			}
		}
	}
	if status := b.status(workers["three"]); status != 0 {
		t.Errorf("a worker that was drained: got %d and %q, want 0", status, &workers["three"].errs)
	}
	if status := b.status(next); status != 0 || next.out.String() != "placed\n" {
		t.Errorf("the next one: got %d, %q and %q, want that it was placed", status, &next.out, &next.errs)
	}
	workers["two"].cmd.Process.Signal(syscall.SIGTERM)
	if status := b.status(workers["two"]); status != 0 {
		t.Errorf("a worker without sessions: got %d and %q, want 0", status, &workers["two"].errs)
	}
}

// TestFleetRefuses has one line for each reason why there is no place, with what to do.
func TestFleetRefuses(t *testing.T) {
	t.Parallel()
	watchModule(t)
	b := newFleetBox(t)
	on := "fleet:" + b.url
	for _, test := range []struct {
		creds  string
		args   []string
		want   string
		status int
	}{
		{b.user, []string{"--on", on, "--place-timeout", "100ms"}, on + ": no place within 100ms: ", 125},
		{"", []string{"--on", on}, b.url + ": the server wants credentials: use --creds FILE, or set NATS_CREDS", 125},
		{b.dir + "/none", []string{"--on", on}, "credentials: open ", 125},
		{b.worker, []string{"--on", on}, "credentials: " + b.worker + ": these are a worker's, worker: this needs a user's, ", 125},
		{b.user, []string{"--on", "fleet:nats://127.0.0.1:1"}, "nats://127.0.0.1:1: no NATS server answers: is it running there?", 125},
		{b.user, []string{"--on", on, "--sandbox", "workspace"}, "--on fleet: --sandbox: a worker has its own", 2},
		{b.user, []string{"--on", "fleet:nats//me:secret@127.0.0.1:1"}, "--on fleet:…@127.0.0.1:1: want fleet:nats://HOST:PORT", 2},
		{b.user, []string{"--on", "flet:nats://me:secret@127.0.0.1:1"}, "--on flet:…@127.0.0.1:1: no such kind of place", 125},
		{b.user, []string{"--on", "fleet:nats://me:secret@127.0.0.1:1"}, "--on fleet: others can read a password that is in a command line", 2},
		{b.user, []string{"--on", "fleet:http://x"}, "--on fleet: want nats://HOST:PORT or tls://HOST:PORT", 2},
		{b.user, []string{"--on", on, "--label", "x"}, "--on fleet: --label: ", 2},
		{b.user, []string{"--on", on, "--place-timeout", "2h"}, "--on fleet: --place-timeout 2h0m0s: out of range", 2},
	} {
		cmd := exec.CommandContext(limited(t), "terrarium", append(append([]string{"run"}, test.args...), "--", "true")...)
		cmd.Env = b.environ("NATS_CREDS=" + test.creds)
		var errs bytes.Buffer
		cmd.Stderr, cmd.Stdout = &errs, io.Discard
		cmd.Run()
		got := errs.String()
		first, rest, _ := strings.Cut(got, "\n")
		if status := cmd.ProcessState.ExitCode(); !strings.HasPrefix(first, "terrarium: "+test.want) || status != test.status {
			t.Errorf("%q: got %q and %d, want %q and %d", test.args, got, status, test.want, test.status)
		}
		usage := ""
		if test.status == 2 {
			usage = "usage: terrarium run [flags] [--] COMMAND [ARG...]\n"
		}
		if rest != usage {
			t.Errorf("%q: got %q, want %q behind the first line", test.args, rest, usage)
		}
		if strings.Contains(got, "secret") {
			t.Errorf("%q: got %q, with the secret", test.args, got)
		}
	}
}

// TestFleetCommandsRefuse has one line say why a command does nothing, and what to do. None prints
// the password of a URL.
func TestFleetCommandsRefuse(t *testing.T) {
	t.Parallel()
	watchModule(t)
	b := newFleetBox(t)
	const secret, other = "nats://me:secret@127.0.0.1:1", "nats//me:secret@127.0.0.1:1"
	const use, form = "others can read a password that is in a command line: use --creds FILE", "want nats://HOST:PORT or tls://HOST:PORT"
	for _, test := range []struct {
		creds  string
		args   []string
		want   string
		status int
	}{
		{b.user, []string{"join", "--slots", "1", b.url}, "credentials: " + b.user + ": these are a user's, user: this needs a worker's, ", 1},
		{b.user, []string{"drain", b.url, "box"}, "credentials: " + b.user + ": these are a user's, user: this needs a worker's, ", 1},
		{b.worker, []string{"join", "--slots", "1", b.url, "extra"}, "unexpected argument: extra", 2},
		{b.worker, []string{"join", "--slots", "1", "extra", b.url}, "unexpected argument: extra", 2},
		{b.worker, []string{"join", "--slots", "1", b.url, secret}, "want the URL of a fleet, such as nats://localhost:4222, and nothing else", 2},
		{b.worker, []string{"join", "--slots", "1", b.url, other}, "want the URL of a fleet, such as nats://localhost:4222, and nothing else", 2},
		{b.worker, []string{"join", "--slots", "1", "--cwd", "/no/such", b.url}, "--cwd: stat /no/such: no such file or directory", 2},
		{b.worker, []string{"ls", b.url, "extra"}, "unexpected argument: extra", 2},
		{b.worker, []string{"join", "--slots", "1", "--engine", "dokcer", "--image", "toolbox:1", b.url}, "--engine dokcer: no such engine: did you mean docker?", 2},
		{b.worker, []string{"join", "--slots", "1", "--engine", "runc", b.url}, "--engine runc: no such engine: use docker or podman or wazero", 2},
		{b.worker, []string{"join", "--slots", "1", secret}, use, 2},
		{b.worker, []string{"join", "--slots", "1", other}, form, 2},
		{b.worker, []string{"ls", secret}, use, 2},
		{b.worker, []string{"ls", other}, form, 2},
		{b.worker, []string{"drain", secret, "box"}, use, 2},
		{b.worker, []string{"drain", other, "box"}, form, 2},
		{"", []string{"serve", "--dir", t.TempDir() + "/state", "--listen", strings.TrimPrefix(b.url, "nats://")},
			strings.TrimPrefix(b.url, "nats://") + ": address already in use: a fleet may be served there already: --listen localhost:0 takes a free port", 1},
	} {
		p := b.start("NATS_CREDS="+test.creds, append([]string{"fleet"}, test.args...)...)
		status := b.status(p)
		got := p.errs.String()
		first, rest, _ := strings.Cut(got, "\n")
		if !strings.HasPrefix(first, "terrarium: "+test.want) || status != test.status {
			t.Errorf("%q: got %q and %d, want %q and %d", test.args, got, status, test.want, test.status)
		}
		if (status == 2) != strings.HasPrefix(rest, "usage: ") || strings.Contains(got, "secret") {
			t.Errorf("%q: got %q", test.args, got)
		}
	}
}

// TestFleetJoin has workers say what becomes of them. Those that are not named have names that are
// not each other's.
func TestFleetJoin(t *testing.T) {
	t.Parallel()
	watchModule(t)
	b := newFleetBox(t)
	join := func(args ...string) (p *fleetProgram, name string) {
		args = append([]string{"fleet", "join", "--slots", "1"}, args...)
		p = b.start("NATS_CREDS="+b.worker, append(args, b.url)...)
		b.until("a worker has joined", func() bool { return strings.Contains(p.errs.String(), ": joined tenant default: 1 slot\n") })
		name, _, _ = strings.Cut(strings.TrimPrefix(p.errs.String(), "terrarium: worker "), ":")
		return p, name
	}
	one, first := join()
	_, second := join()
	if second != first+"-2" {
		t.Errorf("got names %q and %q", first, second)
	}
	b.server.cmd.Process.Kill()
	<-b.server.exited
	b.until("it says that the server is away", func() bool { return strings.Contains(one.errs.String(), "fleet:"+b.url+": reconnecting: ") })
	b.serve()
	b.until("it says that the server is there again", func() bool { return strings.Contains(one.errs.String(), "fleet:"+b.url+": resumed\n") })
	third, name := join("--name", first)
	if name != first {
		t.Errorf("got name %q, want the one that was asked for: %q", name, first)
	}
	for _, p := range []*fleetProgram{one, third} {
		b.until("it says that another one is called so", func() bool { return strings.Contains(p.errs.String(), "another worker has this name, too") })
	}
}
