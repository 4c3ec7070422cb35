package tests

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// A realEngine is a fleet, and docker or podman.
type realEngine struct {
	*fleetBox
	engine, image, worker string
}

// newRealEngine skips the test where a person has named no engine.
func newRealEngine(t *testing.T) *realEngine {
	t.Helper()
	b := &realEngine{engine: os.Getenv("TERRARIUM_ENGINE"), image: os.Getenv("TERRARIUM_ENGINE_IMAGE"), worker: fmt.Sprint("conformance-", os.Getpid())}
	if b.engine == "" || b.image == "" {
		t.Skip("NOT RUN: TERRARIUM_ENGINE is not set, or TERRARIUM_ENGINE_IMAGE: they name docker or podman, and an image that has a shell")
	}
	build := exec.Command("go", "build", "-o", t.TempDir()+"/terrarium", "./cmd/terrarium")
	// It has to start whatever C library the image has.
	build.Dir, build.Env = "..", append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", build, err, out)
	}
	t.Setenv("PATH", filepath.Dir(build.Args[3])+":"+os.Getenv("PATH"))
	b.fleetBox = newFleetBox(t)
	t.Cleanup(func() {
		for _, id := range b.containers() {
			t.Error("a container was left: ", id)
			exec.Command(b.engine, "rm", "--force", id).Run() // an error is no news
		}
	})
	return b
}

// command runs the engine, and returns what it prints.
func (b *realEngine) command(args ...string) string {
	b.Helper()
	out, err := exec.CommandContext(limited(b.T), b.engine, args...).Output()
	if err != nil {
		var said []byte
		if e, ok := err.(*exec.ExitError); ok {
			said = e.Stderr
		}
		b.Fatalf("%s %q: %v\n%s", b.engine, args, err, said)
	}
	return strings.TrimSpace(string(out))
}

// containers returns the ids of those that the worker has.
func (b *realEngine) containers() []string {
	b.Helper()
	return strings.Fields(b.command("ps", "--all", "--quiet", "--no-trunc", "--filter=name=terrarium-"+b.worker+"-"))
}

func (b *realEngine) join() *fleetProgram {
	b.Helper()
	p := b.fleetBox.join(b.worker, 2, "--engine", b.engine, "--image", b.image, "--cwd", "/", "--env", "GREETING=hello")
	b.until("it joins", func() bool {
		select {
		case <-p.exited:
			b.Fatalf("the worker has ended: %s", &p.errs)
		default:
		}
		return strings.Contains(p.errs.String(), ": joined ")
	})
	return p
}

// started runs a command, and returns it when it has printed a line, with its container.
func (b *realEngine) started(script string) (p *fleetProgram, container string) {
	b.Helper()
	before := b.containers()
	p = b.run(script)
	b.until("a command has started", func() bool {
		select {
		case <-p.exited:
			b.Fatalf("it has ended: %s", &p.errs)
		default:
		}
		return strings.Contains(p.out.String(), "\n")
	})
	added := slices.DeleteFunc(b.containers(), func(id string) bool { return slices.Contains(before, id) })
	if len(added) != 1 {
		b.Fatalf("got containers %q for a session", added)
	}
	return p, added[0]
}

// TestEngine has a real engine start a container for each session. One is killed: its session is
// lost, and the other one goes on. Nothing is left of a worker that was killed, and what an engine
// has kept all the same is removed by the next one of its name. "make conformance" runs it.
func TestEngine(t *testing.T) {
	watchModule(t)
	b := newRealEngine(t)
	worker := b.join()
	const waits = `echo begin; while ! test -e /tmp/end; do sleep 0.1; done; echo "$GREETING from $PWD"; exit 7`
	first, killed := b.started(waits)
	second, other := b.started(waits)
	b.command("kill", killed)
	if status := b.status(first); status != 125 || !strings.Contains(first.errs.String(), "lost: ") || !strings.Contains(first.errs.String(), "its container has ended") {
		t.Errorf("whose container was killed: got %d and %q, want that it is lost", status, &first.errs)
	}
	b.until("its container is gone", func() bool { return slices.Equal(b.containers(), []string{other}) })
	b.command("exec", other, "sh", "-c", ": >/tmp/end")
	if status := b.status(second); status != 7 || second.out.String() != "begin\nhello from /\n" {
		t.Errorf("got %d, %q and %q, want its end", status, &second.out, &second.errs)
	}
	b.until("no container is left", func() bool { return len(b.containers()) == 0 })

	// What a command leaves is adopted and reaped in there, and nothing can kill its host.
	orphans := b.run(`(sleep 0.1 &); kill -9 1; sleep 1; for p in /proc/[0-9]*; do grep -q 'State:.Z' $p/status && cat $p/status; done; echo end`)
	if status := b.status(orphans); status != 0 || orphans.out.String() != "end\n" {
		t.Errorf("got %d, %q and %q, want no zombie, and that it goes on", status, &orphans.out, &orphans.errs)
	}

	third, container := b.started("echo begin; sleep 600")
	label := b.command("inspect", `--format={{index .Config.Labels "io.github.terrarium-dev.owner"}}`, container)
	worker.cmd.Process.Signal(syscall.SIGKILL)
	if status := b.status(third); status != 125 || !strings.Contains(third.errs.String(), "lost: ") {
		t.Errorf("whose worker was killed: got %d and %q, want that it is lost", status, &third.errs)
	}
	b.until("nothing is left of it", func() bool { return len(b.containers()) == 0 })
	b.command("run", "--detach", "--log-driver=none", "--name=terrarium-"+b.worker+"-left", "--label=io.github.terrarium-dev.owner="+label, "--entrypoint=sh", b.image, "-c", "sleep 600")
	again := b.join()
	if n := len(b.containers()); n != 0 || !strings.Contains(again.errs.String(), "it has removed 1 container") {
		t.Errorf("got %d containers, and %q", n, &again.errs)
	}
}
