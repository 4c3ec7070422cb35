package tests

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// standInEngine is a docker whose containers are processes of ours. What it knows of each is in a
// file of its folder: the process, the owner's label, the name, and the worker. It does what files
// there say. With one called broken, it starts no container, and with stuck, it removes none and
// does not answer. What is in one called says, each container says on standard error. With one
// called slow, it makes a container when there is a file called make, whatever has become by then
// of its program, which is the process in client. Its --privileged needs no value, and its --env
// does.
const standInEngine = `#!/bin/sh
d='%s'
id() { printf %%s "$1" | cksum | cut -d' ' -f1; }
case $1 in
image) echo linux/%s;;
ps)
	for a in "$@"; do case $a in --filter=label=*) label=${a#--filter=label=};; esac; done
	cd "$d" && for f in [0-9]*; do
		test -f "$f" && grep -qxF "$label" "$f" && echo "$f"
	done
	exit 0;;
container)
	test -f "$d/$4" || { echo "Error response from daemon: No such container: $4" >&2; exit 1; }
	sed -n 4p "$d/$4";;
rm)
	if test -e "$d/stuck"; then exec sleep 600; fi
	shift 2
	status=0
	for name in "$@"; do
		f=$name
		case $f in *[!0-9]*) f=$(id "$f");; esac
		if test -f "$d/$f"; then
			kill -9 "$(sed -n 1p "$d/$f")"
			rm -f "$d/$f"
			echo "$name"
		else
			echo "Error response from daemon: No such container: $name" >&2
			status=1
		fi
	done
	exit $status;;
run)
	case "$2 $3 $4" in
	'--privileged --help '|'--env --help --help') exit 0;;
	*' --help'*) echo "docker: 'docker run' requires at least 1 argument" >&2; exit 1;;
	esac
	if test -e "$d/broken"; then
		echo 'docker: Error response from daemon: no space left on device' >&2
		echo "Run 'docker run --help' for more information" >&2
		exit 125
	fi
	for a in "$@"; do
		shift
		case $a in
		--name=*) name=${a#--name=};;
		--label=*.owner=*) label=${a#--label=};;
		--label=*.worker=*) worker=${a#*.worker=};;
		--env=*=*) export "${a#--env=}";;
		--mount=*) program=${a#*source=}; program=${program%%%%,*};;
		toolbox:1) break;;
		esac
	done
	if ! test -e "$program"; then
		echo "docker: Error response from daemon: invalid mount config for type \"bind\": bind source path does not exist: $program." >&2
		exit 125
	fi
	test -e "$d/says" && cat "$d/says" >&2
	f=$d/$(id "$name")
	if test -e "$d/slow"; then
		(
			while test -e "$d" && ! test -e "$d/make"; do sleep 0.05; done
			sleep 600 &
			{ echo $!; echo "$label"; echo "$name"; echo "$worker"; } >"$f.new"
			mv "$f.new" "$f"
		) </dev/null >/dev/null 2>&1 &
		echo $$ >"$d/client.new"
		mv "$d/client.new" "$d/client"
		exec sleep 600
	fi
	sh -c 'f=$1; { echo $$; echo "$2"; echo "$3"; echo "$4"; } >"$f.new"; mv "$f.new" "$f"; shift 4; exec "$@"' sh "$f" "$label" "$name" "$worker" "$program" "$@"
	status=$?
	rm -f "$f"
	exit $status;;
esac
`

// An engineBox is a fleet, and a stand-in for docker.
type engineBox struct {
	*fleetBox
	bin, folder string // of the stand-in, and of what it keeps
}

func newEngineBox(t *testing.T) *engineBox {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("containers are Linux")
	}
	b := &engineBox{bin: t.TempDir(), folder: t.TempDir()}
	script := fmt.Sprintf(standInEngine, b.folder, runtime.GOARCH)
	if err := os.WriteFile(filepath.Join(b.bin, "docker"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	b.fleetBox = newFleetBox(t, "PATH="+b.bin+":"+os.Getenv("PATH"), "TMPDIR="+t.TempDir(), "XDG_STATE_HOME="+t.TempDir())
	return b
}

func (b *engineBox) join(name string, args ...string) *fleetProgram {
	b.Helper()
	return b.fleetBox.join(name, 2, append([]string{"--engine", "docker", "--image", "toolbox:1", "--env", "GREETING=hello", "--cwd", "/"}, args...)...)
}

// containers returns the processes of those that there are, by the names of their files.
func (b *engineBox) containers() map[string]int {
	b.Helper()
	all := make(map[string]int)
	files, _ := filepath.Glob(filepath.Join(b.folder, "*[0-9]"))
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			continue // it has ended meanwhile
		}
		var pid int
		if _, err := fmt.Sscan(string(text), &pid); err != nil {
			b.Fatal(err)
		}
		all[f] = pid
	}
	return all
}

// started runs a command, and returns it when it has started, with the process of its container,
// the only one that is not among others.
func (b *engineBox) started(script string, others map[string]int) (p *fleetProgram, container int) {
	b.Helper()
	p = b.run(script)
	b.pid(p)
	for f, pid := range b.containers() {
		if _, known := others[f]; !known {
			if container != 0 {
				b.Fatal("got two containers for a session")
			}
			container = pid
		}
	}
	if container == 0 {
		b.Fatal("got no container for a session")
	}
	return p, container
}

// aDelay is a line about what a busy machine has a session wait for.
var aDelay = regexp.MustCompile(`(?m)^terrarium: [^\n]*: (waiting for a place: |reconnecting: |resumed: |still connecting: )[^\n]*\n`)

// withoutDelays returns what a program has written to standard error, but for such lines.
func withoutDelays(errs fmt.Stringer) string { return aDelay.ReplaceAllString(errs.String(), "") }

// TestFleetEngine has each session in a container of its own. One is killed: who had a terminal in
// it is told, nobody else is. Whatever ends, no container is left.
func TestFleetEngine(t *testing.T) {
	t.Parallel()
	watchModule(t)
	b := newEngineBox(t)
	end := filepath.Join(t.TempDir(), "end")
	waits := fmt.Sprintf(`echo $$; while ! test -e '%s'; do sleep 0.05; done; echo $GREETING from $PWD`, end)
	worker := b.join("one")
	first, container := b.started(waits, nil)
	second, _ := b.started(waits, b.containers())
	if n := len(b.containers()); n != 2 {
		t.Errorf("got %d containers for two sessions", n)
	}
	if err := syscall.Kill(container, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if status := b.status(first); status != 125 || !strings.Contains(first.errs.String(), "lost: ") || !strings.Contains(first.errs.String(), ": its container has ended: ") {
		t.Errorf("whose container was killed: got %d and %q, want that it is lost", status, &first.errs)
	}
	pid := b.pid(first)
	b.until("nothing is left of it", func() bool { return syscall.Kill(pid, 0) == syscall.ESRCH })
	b.until("its container is gone", func() bool { return len(b.containers()) == 1 })

	third, _ := b.started(waits, b.containers())
	worker.cmd.Process.Signal(syscall.SIGTERM)
	b.until("the worker drains", func() bool { return strings.Contains(worker.errs.String(), "it takes no more sessions") })
	if err := os.WriteFile(end, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, p := range []*fleetProgram{second, third} {
		status := b.status(p)
		if _, out, _ := strings.Cut(p.out.String(), "\n"); status != 0 || out != "hello from /\n" {
			t.Errorf("got %d, %q and %q, want its end", status, &p.out, &p.errs)
		}
	}
	if status := b.status(worker); status != 0 || len(b.containers()) != 0 {
		t.Errorf("got %d, %q and the containers %v of a worker that has drained", status, &worker.errs, b.containers())
	}
}

// TestFleetEngineKilled: a worker that is killed leaves no container, and the next one of its name
// removes what there is of it all the same.
func TestFleetEngineKilled(t *testing.T) {
	t.Parallel()
	watchModule(t)
	b := newEngineBox(t)
	worker := b.join("one")
	p, _ := b.started("echo $$; sleep 600", nil)
	var label string
	for f := range b.containers() {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		label = strings.Split(string(text), "\n")[1]
	}
	again := b.join("one")
	if status := b.status(again); status != 1 || !strings.Contains(again.errs.String(), "another worker is called one here") {
		t.Errorf("a second worker of that name: got %d and %q, want that it is refused", status, &again.errs)
	}
	b.env = append(b.env, "XDG_STATE_HOME="+t.TempDir()) // where the lock is
	again = b.join("one")
	if status := b.status(again); status != 1 || !strings.Contains(again.errs.String(), "a worker of the fleet is called one") {
		t.Errorf("a second worker of that name, with other locks: got %d and %q, want that it is refused", status, &again.errs)
	}
	if n := len(b.containers()); n != 1 {
		t.Errorf("got %d containers, want that the first worker has its one", n)
	}
	worker.cmd.Process.Kill()
	if status := b.status(p); status != 125 || !strings.Contains(p.errs.String(), "lost: worker one: it is gone") {
		t.Errorf("got %d and %q, want that it is lost", status, &p.errs)
	}
	b.until("nothing is left of it", func() bool { return len(b.containers()) == 0 })

	left := exec.Command("sleep", "600") // what the engine did not end
	if err := left.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- left.Wait() }() // ends with it
	t.Cleanup(func() { left.Process.Kill() })
	stuck := filepath.Join(b.folder, "4711")
	if err := os.WriteFile(stuck, fmt.Appendf(nil, "%d\n%s\nstuck\n", left.Process.Pid, label), 0o600); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(b.folder, "4712")
	if err := os.WriteFile(other, []byte("1\nlabel=another\nother\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	worker = b.join("one")
	b.until("the container is removed", func() bool { return strings.Contains(worker.errs.String(), "removed 1 container") })
	<-ended
	if _, err := os.Stat(other); err != nil {
		t.Errorf("somebody else's container: %v", err)
	}
}

// TestFleetEngineCut: a worker that is not heard, as its connection is cut, keeps its containers
// when another one of its name starts, wherever that has its lock. One that has no container yet
// keeps its name by the lock alone.
func TestFleetEngineCut(t *testing.T) {
	t.Parallel()
	watchModule(t)
	b := newEngineBox(t)
	state := t.TempDir()
	b.env = append(b.env, "XDG_STATE_HOME="+state)
	worker := b.join("one", "--linger", "30m")
	b.started("echo $$; sleep 600", nil)
	idle := b.join("two")
	b.until("the idle worker has joined", func() bool { return strings.Contains(idle.errs.String(), "joined") })
	b.server.cmd.Process.Kill()
	<-b.server.exited
	for _, p := range []*fleetProgram{worker, idle} {
		b.until("the worker is cut off", func() bool { return strings.Contains(p.errs.String(), "reconnecting") })
	}
	b.url = "" // where the first worker does not look
	b.serve()
	again := b.join("two")
	if status := b.status(again); status != 1 || !strings.Contains(again.errs.String(), "another worker is called two here") {
		t.Errorf("a second worker of an idle one's name: got %d and %q, want that it is refused", status, &again.errs)
	}
	short, err := os.MkdirTemp("/tmp", "t") // where a lock can be, since it is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(short) })
	b.env = append(b.env, "TMPDIR="+short)
	for _, test := range []struct{ state, says string }{
		{state, ""},
		{t.TempDir(), ""},
		{"/dev/null", "since there can be none in the state directory: "},
	} {
		b.env = append(b.env, "XDG_STATE_HOME="+test.state)
		again := b.join("one")
		status := b.status(again)
		got := again.errs.String()
		if status != 1 || !strings.Contains(got, "another worker is called one here") || !strings.Contains(got, test.says) {
			t.Errorf("%s: got %d and %q, want that it is refused, and %q", test.state, status, got, test.says)
		}
		if n := len(b.containers()); n != 1 {
			t.Fatalf("%s: got %d containers, want that the first worker has its one", test.state, n)
		}
	}
}

// TestFleetEngineFails: who asked is told why there is no container, in the engine's words. The
// worker takes nothing more until it works again.
func TestFleetEngineFails(t *testing.T) {
	t.Parallel()
	watchModule(t)
	b := newEngineBox(t)
	broken := filepath.Join(b.folder, "broken")
	const words = "docker image toolbox:1: docker: Error response from daemon: no space left on device"
	if err := os.WriteFile(broken, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	worker := b.join("one")
	if status := b.status(worker); status != 1 || !strings.HasSuffix(worker.errs.String(), "terrarium: "+words+"\n") {
		t.Errorf("a worker that can't start any: got %d and %q, want 1 and %s", status, &worker.errs, words)
	}
	os.Remove(broken)
	worker = b.join("one")
	p := b.run("echo placed")
	if status := b.status(p); status != 0 {
		t.Fatalf("got %d and %q", status, &p.errs)
	}
	if err := os.WriteFile(broken, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p = b.run("echo placed")
	if status := b.status(p); status != 125 || withoutDelays(&p.errs) != "terrarium: worker one: "+words+"\n" {
		t.Errorf("got %d and %q, want 125 and %s", status, &p.errs, words)
	}
	b.until("the worker says it", func() bool { return strings.Contains(worker.errs.String(), words) })
	if got := worker.errs.String(); strings.Count(got, words) != 1 {
		t.Errorf("the worker says %q, want once why", got)
	}
	next := b.run("echo placed")
	b.until("the next one waits", func() bool { return strings.Contains(next.errs.String(), "1 worker can't start sessions now") })
	os.Remove(broken)
	if status := b.status(next); status != 0 || next.out.String() != "placed\n" {
		t.Errorf("the next one: got %d, %q and %q, want that it was placed", status, &next.out, &next.errs)
	}
}

// TestFleetEngineFlags: a flag of an engine that lacks its value is refused, in place of what would
// take one of ours for it. One that needs none is not.
func TestFleetEngineFlags(t *testing.T) {
	t.Parallel()
	watchModule(t)
	b := newEngineBox(t)
	worker := b.join("one", "--engine-flag", "--env")
	const want = "terrarium: --engine-flag --env: docker wants a value for it: --engine-flag --env=VALUE, in one word\n"
	if status := b.status(worker); status != 1 || !strings.HasSuffix(worker.errs.String(), want) {
		t.Errorf("got %d and %q, want 1 and %q", status, &worker.errs, want)
	}
	worker = b.join("one", "--engine-flag", "--privileged")
	p := b.run("echo placed")
	if status := b.status(p); status != 0 || p.out.String() != "placed\n" {
		t.Errorf("got %d, %q, %q and %q, want that it was placed", status, &p.out, &p.errs, &worker.errs)
	}
}

// TestFleetEngineEnded: what has become of a container's host that a signal has ended is told in a
// clause, and not in the last line of what Go writes then.
func TestFleetEngineEnded(t *testing.T) {
	t.Parallel()
	watchModule(t)
	b := newEngineBox(t)
	worker := b.join("one")
	for signal, want := range map[syscall.Signal]string{
		syscall.SIGABRT: `its container has ended: docker or its container was killed ("SIGABRT: abort")` + "\n",
		syscall.SIGTERM: "its container has ended\n",
	} {
		p, container := b.started("echo $$; sleep 600", nil)
		if err := syscall.Kill(container, signal); err != nil {
			t.Fatal(err)
		}
		if status := b.status(p); status != 125 || !strings.Contains(p.errs.String(), "worker one: "+want) {
			t.Errorf("%v: got %d and %q, want 125 and %q", signal, status, &p.errs, want)
		}
		b.until("the worker says it", func() bool { return strings.Contains(worker.errs.String(), "a session is lost: "+want) })
		b.until("its container is gone", func() bool { return len(b.containers()) == 0 })
	}
}

// TestFleetEngineReplaced: who has put another program in the place of a worker's that runs is told
// what is wrong.
func TestFleetEngineReplaced(t *testing.T) {
	t.Parallel()
	watchModule(t)
	b := newEngineBox(t)
	ours, err := exec.LookPath("terrarium")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if out, err := exec.Command("cp", ours, bin).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	copied := filepath.Join(bin, "terrarium")
	cmd := exec.Command(copied, "fleet", "join", "--name", "one", "--slots", "1", "--creds", b.worker, "--engine", "docker", "--image", "toolbox:1", b.url)
	cmd.Env = b.environ()
	worker := b.startProgram(cmd)
	b.until("the worker has joined", func() bool { return strings.Contains(worker.errs.String(), "joined") })
	if err := os.Remove(copied); err != nil {
		t.Fatal(err)
	}
	p := b.run("echo placed")
	const want = "terrarium: worker one: docker image toolbox:1: the worker's program was replaced or removed since it has started: start the worker again\n"
	if status := b.status(p); status != 125 || withoutDelays(&p.errs) != want {
		t.Errorf("got %d and %q, want 125 and %q", status, &p.errs, want)
	}
}

// TestFleetEngineSays: what comes on a container's standard error is shown with the container's
// name, so it is nothing that the worker says.
func TestFleetEngineSays(t *testing.T) {
	t.Parallel()
	watchModule(t)
	b := newEngineBox(t)
	if err := os.WriteFile(filepath.Join(b.folder, "says"), []byte("terrarium: worker one: is to end\x1b[2J\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	worker := b.join("one")
	b.started("echo $$; sleep 600", nil)
	want := regexp.MustCompile(`(?m)^terrarium: worker one: container terrarium-one-[a-z0-9]+ says: worker one: is to end\\x1b\[2J$`)
	b.until("the worker shows it", func() bool { return want.MatchString(worker.errs.String()) })
	if strings.Contains(worker.errs.String(), "\nterrarium: worker one: is to end") {
		t.Errorf("got %q, want it as the container's words", &worker.errs)
	}
}

// TestFleetEngineStuck: a second signal ends a worker at once, also where its engine does not
// answer. What may be left is named.
func TestFleetEngineStuck(t *testing.T) {
	t.Parallel()
	watchModule(t)
	b := newEngineBox(t)
	worker := b.join("one")
	b.started("echo $$; sleep 600", nil)
	if err := os.WriteFile(filepath.Join(b.folder, "stuck"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	worker.cmd.Process.Signal(syscall.SIGTERM)
	b.until("the worker drains", func() bool { return strings.Contains(worker.errs.String(), "it takes no more sessions") })
	worker.cmd.Process.Signal(syscall.SIGTERM)
	want := regexp.MustCompile(`(?m)^terrarium: worker one: the container terrarium-one-[a-z0-9]+ may be left: a signal ends the worker at once$`)
	if status := b.status(worker); status != 128+int(syscall.SIGTERM) || !want.MatchString(worker.errs.String()) {
		t.Errorf("got %d and %q, want 143 and %s", status, &worker.errs, want)
	}
}

// TestFleetEngineLate: a container that the engine makes after its start was given up is removed,
// which a worker that ends waits for. So it is where the worker's first start has failed.
func TestFleetEngineLate(t *testing.T) {
	t.Parallel()
	watchModule(t)
	for name, given := range map[string]func(b *engineBox, slow func()) (worker *fleetProgram, status int){
		"a session": func(b *engineBox, slow func()) (*fleetProgram, int) {
			worker := b.join("one", "--linger", "1s")
			b.until("the worker has joined", func() bool { return strings.Contains(worker.errs.String(), "joined") })
			slow()
			p := b.run("echo placed")
			client := b.client()
			p.cmd.Process.Kill()
			b.until("the session has ended", func() bool { return syscall.Kill(client, 0) == syscall.ESRCH })
			worker.cmd.Process.Signal(syscall.SIGTERM)
			return worker, 0
		},
		"the first start": func(b *engineBox, slow func()) (*fleetProgram, int) {
			slow()
			worker := b.join("one")
			syscall.Kill(b.client(), syscall.SIGKILL)
			return worker, 1
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newEngineBox(t)
			touch := func(name string) {
				t.Helper()
				if err := os.WriteFile(filepath.Join(b.folder, name), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			worker, want := given(b, func() { touch("slow") })
			b.until("the worker waits", func() bool { return strings.Contains(worker.errs.String(), "1 container may come yet") })
			touch("make")
			if status := b.status(worker); status != want || len(b.containers()) != 0 || !strings.Contains(worker.errs.String(), "came after its start was given up, and is removed") {
				t.Errorf("got %d, %q and the containers %v, want %d and none", status, &worker.errs, b.containers(), want)
			}
		})
	}
}

// client returns the process of the engine's program that a container is waited for with.
func (b *engineBox) client() (pid int) {
	b.Helper()
	b.until("the engine is asked", func() bool {
		text, err := os.ReadFile(filepath.Join(b.folder, "client"))
		if err != nil {
			return false
		}
		_, err = fmt.Sscan(string(text), &pid)
		return err == nil
	})
	return pid
}
