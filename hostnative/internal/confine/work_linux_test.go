//go:build amd64 || arm64

package confine

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func init() { modes["work"], modes["read"] = work, readLines }

// A job is something that commands do, and have to be able to.
type job struct {
	name string
	do   func(a arena) error
	// tool: it needs a program that not every machine has.
	tool bool
	// wide: Strict refuses it.
	wide bool
}

// work does all jobs, and prints how each has ended.
func work() {
	p := planned()
	for _, j := range jobs {
		if err := j.do(p.Arena); err != nil {
			fmt.Printf("%s\t%s\n", j.name, strings.ReplaceAll(strings.TrimSpace(err.Error()), "\n", " / "))
		} else {
			fmt.Printf("%s\tdone\n", j.name)
		}
	}
}

// What was handed over can be worked with.
func TestWork(t *testing.T) {
	onEachUser(t, func(t *testing.T, uid int) {
		plain := newArena(t, uid)
		without := results(plain.run(t, uid, plan{Then: "work"}))
		for _, level := range []Level{Workspace, Strict} {
			t.Run(level.String(), func(t *testing.T) {
				a := newArena(t, uid)
				r := a.rules(level)
				r.Read = append(Toolchains(os.Getenv), filepath.Join(os.Getenv("HOME"), ".pyenv"))
				r.Read = slices.DeleteFunc(r.Read, func(dir string) bool { return !filepath.IsAbs(dir) })
				with := results(a.run(t, uid, plan{Rules: r, Then: "work"}))
				for _, j := range jobs {
					got, want := with[j.name], "done"
					if j.tool && without[j.name] != "done" {
						t.Logf("%s: not tried, since without a sandbox it does not work here: %.100s", j.name, without[j.name])
						continue
					}
					if without[j.name] != "done" {
						t.Errorf("%s: without a sandbox: %s", j.name, without[j.name])
					}
					if j.wide && level == Strict {
						want = "denied"
					}
					if want == "done" && got != "done" || want == "denied" && !strings.Contains(got, "denied") {
						t.Errorf("%s: got %s, want %s", j.name, got, want)
					}
				}
			})
		}
	})
}

func results(out string) map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(out) {
		name, result, _ := strings.Cut(strings.TrimSpace(line), "\t")
		all[name] = result
	}
	return all
}

func shell(line string) func(arena) error {
	return func(a arena) error {
		cmd := exec.Command("/bin/sh", "-c", "set -e\n"+line)
		cmd.Dir = a.path("project/sub")
		out, err := cmd.CombinedOutput()
		if err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	}
}

var jobs = []job{
	{name: "read the system", do: func(arena) error {
		return errors.Join(readFile("/etc/passwd"), readFile("/proc/self/status"), readFile("/proc/meminfo"))
	}},
	{name: "list the system", do: func(arena) error { return open("/usr/bin", unix.O_RDONLY|unix.O_DIRECTORY) }},
	{name: "list /", wide: true, do: func(arena) error { return open("/", unix.O_RDONLY|unix.O_DIRECTORY) }},
	{name: "list home", wide: true, do: func(a arena) error { return open(a.path("home"), unix.O_RDONLY|unix.O_DIRECTORY) }},
	{name: "read home", wide: true, do: func(a arena) error { return readFile(a.path("home/seen/file")) }},
	{name: "read what is beside hidden files", wide: true, do: func(a arena) error { return readFile(a.path("home/.config/visible/file")) }},
	{name: "read outside", wide: true, do: func(a arena) error { return readFile(a.path("outside/file")) }},
	{name: "write", do: func(a arena) error {
		return errors.Join(write(a.path("root/sub/new")), write(a.path("root/file")), write(a.path("project/sub/new")), write(a.path("write/new")), write(a.path("private/new")))
	}},
	{name: "make directories, links and pipes", do: func(a arena) error {
		dir := a.path("project/sub/made")
		return errors.Join(os.Mkdir(dir, 0o700), os.Symlink("x", dir+"/link"), unix.Mkfifo(dir+"/pipe", 0o600), write(dir+"/file"),
			os.Link(dir+"/file", dir+"/linked"), os.Truncate(dir+"/file", 1), os.Chmod(dir+"/file", 0o600), os.RemoveAll(dir))
	}},
	{name: "make a nameless file", do: func(a arena) error { return open(a.path("project/sub"), unix.O_TMPFILE|unix.O_WRONLY) }},
	{name: "move between what is handed over", do: func(a arena) error {
		return errors.Join(write(a.path("write/moving")), os.Rename(a.path("write/moving"), a.path("private/moving")),
			os.Link(a.path("private/moving"), a.path("project/sub/moving")), os.Rename(a.path("private/moving"), a.path("root/sub/moving")))
	}},
	{name: "map a file", do: func(a arena) error {
		fd, err := unix.Open(a.path("root/sub/file"), unix.O_RDWR, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		p, err := unix.Mmap(fd, 0, 1, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
		if err != nil {
			return err
		}
		return errors.Join(unix.Munmap(p), unix.Flock(fd, unix.LOCK_EX))
	}},
	{name: "use devices", do: func(arena) error {
		for _, device := range []string{"/dev/null", "/dev/zero", "/dev/full"} {
			if err := open(device, unix.O_RDWR); err != nil {
				return fmt.Errorf("%s: %w", device, err)
			}
		}
		if err := open("/dev/tty", unix.O_RDWR); err != unix.ENXIO { // there is none
			return fmt.Errorf("/dev/tty: %v", err)
		}
		return errors.Join(open("/dev/random", unix.O_RDONLY), open("/dev/urandom", unix.O_RDONLY))
	}},
	{name: "use /dev/shm", do: func(arena) error {
		file := fmt.Sprint("/dev/shm/confine", os.Getpid())
		return errors.Join(write(file), os.Remove(file))
	}},
	{name: "write to /dev/stderr", do: shell("echo x >/dev/stderr; echo x | cat >/dev/stdout; cat </dev/null; echo x >/dev/fd/2")},
	{name: "use pairs of sockets", do: func(arena) error {
		for _, kind := range []int{unix.SOCK_STREAM, unix.SOCK_STREAM | unix.SOCK_NONBLOCK | unix.SOCK_CLOEXEC, unix.SOCK_SEQPACKET} {
			fds, err := unix.Socketpair(unix.AF_UNIX, kind, 0)
			if err == nil {
				err = unix.Sendmsg(fds[0], []byte("x"), unix.UnixRights(fds[1]), nil, unix.MSG_NOSIGNAL)
				unix.Close(fds[0])
				unix.Close(fds[1])
			}
			if err != nil {
				return err
			}
		}
		return nil
	}},
	{name: "make sockets", do: func(arena) error {
		return errors.Join(socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_NONBLOCK, 0, nil), socket(unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_TCP, nil),
			socket(unix.AF_UNIX, unix.SOCK_STREAM, 0, nil))
	}},
	{name: "signal others inside", do: func(arena) error {
		cmd := exec.Command("/bin/sh", "-c", "sleep 1000 & sleep 1000 & wait")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		if err := cmd.Start(); err != nil {
			return err
		}
		err := unix.Kill(-cmd.Process.Pid, unix.SIGKILL)
		cmd.Wait()
		return err
	}},
	{name: "signal who has started it, inside", do: shell("trap 'exit 0' USR1; sh -c 'kill -USR1 $PPID'; sleep 10; exit 1")},
	{name: "look at a child", do: func(arena) error {
		cmd := exec.Command("/bin/cat")
		in, err := cmd.StdinPipe()
		if err != nil {
			return err
		}
		if err := cmd.Start(); err != nil {
			return err
		}
		err = errors.Join(readFile(fmt.Sprintf("/proc/%d/environ", cmd.Process.Pid)), readFile(fmt.Sprintf("/proc/%d/maps", cmd.Process.Pid)))
		in.Close()
		return errors.Join(err, cmd.Wait())
	}},
	{name: "set what is its own", do: func(arena) error {
		var l unix.Rlimit
		return errors.Join(unix.Prlimit(0, unix.RLIMIT_CORE, nil, &l), unix.Prlimit(0, unix.RLIMIT_CORE, &l, nil), unix.Prlimit(os.Getpid(), unix.RLIMIT_CORE, nil, &l),
			unix.Setpriority(unix.PRIO_PROCESS, 0, 19), call(unix.SYS_SCHED_SETSCHEDULER, 0, unix.SCHED_BATCH, make([]byte, 4)), call(unix.SYS_IOPRIO_SET, ioprioProcess, 0, 3<<13),
			call(unix.SYS_PERSONALITY, noSuch), call(unix.SYS_PERSONALITY, addrNoRandomize), call(unix.SYS_PERSONALITY, 0))
	}},
	{name: "unshare files", do: func(arena) error {
		done := make(chan error)
		go func() {
			runtime.LockOSThread() // and it ends with the thread
			done <- unix.Unshare(unix.CLONE_FS)
		}()
		return <-done
	}},
	{name: "start threads in C and a subprocess", tool: true, do: shell(`cat >private.c <<'E'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static void *f(void *p) { *(int *)p = 7; return 0; }
int main(void) { int x = 0; pthread_t t; if (pthread_create(&t, 0, f, &x)) return 1; pthread_join(t, 0); FILE *p = popen("echo y", "r"); return x != 7 || fgetc(p) != 'y' || pclose(p) || system("true"); }
E
gcc -o threads private.c -pthread && ./threads`)},
	{name: "gcc", tool: true, do: shell(`echo 'int puts(const char *); int main(void) { return puts("hello") < 0; }' >hello.c; gcc -O2 -o hello hello.c; test "$(./hello)" = hello`)},
	{name: "make", tool: true, do: shell(`printf 'all: a b\na b:\n\techo $@ >$@\n' >Makefile; make -j2; test -s b`)},
	{name: "git", tool: true, do: shell(`git init -q repo; cd repo; echo x >x; git add x; git commit -qm x; git gc -q; git clone -q . ../clone; test -s ../clone/x; git status --short; git -C ../clone log | grep -q a@example.org`)},
	{name: "go version", tool: true, do: shell(`go version`)},
	{name: "go build of a library", tool: true, do: shell(`mkdir -p m; cd m; printf 'module m\ngo 1.20\n' >go.mod; printf 'package m\nfunc F() {}\n' >m.go; go build .`)},
	{name: "python", tool: true, do: shell(`python3 -c 'print("hello")'`)},
	{name: "python's processes", tool: true, do: shell(`cat >pool.py <<'E'
import multiprocessing, subprocess, tempfile, sqlite3, os
def f(x): return x * x
if __name__ == "__main__":
    lock = multiprocessing.Lock()
    with multiprocessing.Pool(2) as p: assert p.map(f, [1, 2]) == [1, 4]
    assert subprocess.check_output(["echo", "x"]) == b"x\n"
    with tempfile.TemporaryDirectory() as d: sqlite3.connect(os.path.join(d, "db")).execute("create table t (x)")
E
python3 pool.py`)},
	{name: "node", tool: true, do: shell(`node -e 'const c = require("child_process"); if (c.execSync("echo x").toString() !== "x\n") process.exit(1); new (require("worker_threads").Worker)("", {eval: true})'`)},
	{name: "npm", tool: true, do: shell(`mkdir -p n; cd n; printf '{"name":"n","version":"1.0.0","scripts":{"test":"echo tested"}}' >package.json; npm_config_cache=$TMPDIR/npm npm test --silent | grep -q tested`)},
	{name: "tar", tool: true, do: shell(`mkdir -p t; echo x >t/x; tar cf t.tar t; rm -r t; tar xpf t.tar; test -s t/x`)},
	{name: "bash", tool: true, do: shell(`bash -c 'set -o pipefail; cat <(echo x) <<<y | while read l; do test -n "$l"; done; sleep 0 & wait; kill -0 $$; cd ~; pwd'`)},
	{name: "sort much", do: shell(`awk 'BEGIN { for (i = 0; i < 20000; i++) print (i * 7919) % 20011 }' | sort -n | tail -1`)},
}

// Modes and times of files outside can be changed, which Landlock has no rights
// for. That is told.
func TestMetadataGap(t *testing.T) {
	onEachUser(t, func(t *testing.T, uid int) {
		a := newArena(t, uid)
		name := a.path("outside/file")
		lines := a.reader(t, uid, plan{Rules: a.rules(Workspace)})
		if got := lines("chmod " + name); got != "done" {
			t.Errorf("got %s: the gap is closed, and no longer to be told", got)
		}
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o604 {
			t.Errorf("got %v, %v", info.Mode(), err)
		}
		if got := lines("lacks metadata"); got != "true" {
			t.Error("it is not told")
		}
	})
}

// readLines answers questions about paths, a line each, until there are none.
func readLines() {
	p := planned()
	for s := bufio.NewScanner(os.Stdin); s.Scan(); {
		what, path, _ := strings.Cut(s.Text(), " ")
		var err error
		switch what {
		case "read":
			err = readFile(path)
		case "list":
			err = open(path, unix.O_RDONLY|unix.O_DIRECTORY)
		case "write":
			err = write(path)
		case "chmod":
			err = os.Chmod(path, 0o604)
		case "lacks":
			fmt.Println(p.Arena.Report.Lacks(path))
			continue
		case "around":
			fmt.Println(slices.ContainsFunc(p.Arena.Report.Around, func(a Around) bool { return a.Path == path }))
			continue
		case "status":
			status, _ := os.ReadFile("/proc/self/status")
			fmt.Println(strconv.Quote(string(status)))
			continue
		}
		if err == nil {
			fmt.Println("done")
		} else if errors.Is(err, unix.EACCES) {
			fmt.Println("denied")
		} else {
			fmt.Println(err)
		}
	}
}

// reader starts a confined process that answers.
func (a arena) reader(t *testing.T, uid int, p plan) func(line string) string {
	t.Helper()
	p.Then = "read"
	cmd := a.command(uid, "confine", p)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	answers := bufio.NewReader(out)
	return func(line string) string {
		t.Helper()
		fmt.Fprintln(in, line)
		answer, err := answers.ReadString('\n')
		if err != nil {
			t.Fatal(answer, err)
		}
		return strings.TrimSpace(answer)
	}
}

// What comes later into a directory that is granted entry by entry can't be read,
// nor can what takes the place of an entry, and the directory is told.
func TestLaterEntries(t *testing.T) {
	uid := os.Getuid()
	a := newArena(t, uid)
	ask := a.reader(t, uid, plan{Rules: a.rules(Workspace)})
	check := func(question, want string) {
		t.Helper()
		if got := ask(question); got != want {
			t.Errorf("%s: got %s, want %s", question, got, want)
		}
	}
	check("read "+a.path("home/.gitconfig"), "done")
	for _, name := range []string{"home/new", "home/seen/new", "home/.aws", "outside/new"} {
		if err := os.WriteFile(a.path(name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Rename(a.path("outside/new"), a.path("home/.gitconfig")); err != nil {
		t.Fatal(err)
	}
	check("read "+a.path("home/new"), "denied")
	check("read "+a.path("home/.aws"), "denied")
	check("read "+a.path("home/.gitconfig"), "denied")
	check("read "+a.path("home/seen/new"), "done")
	check("list "+a.path("home"), "done")
	check("list "+a.path("home/.ssh"), "done") // names are told of
	check("lacks names", "true")
	check("lacks entries", "true")
	check("around "+a.path("home"), "true")
	check("around "+a.path("home/seen"), "false")
	check("around /", "true")
}

// Without names neither what is hidden nor what is above it can be listed.
func TestHideNames(t *testing.T) {
	uid := os.Getuid()
	a := newArena(t, uid)
	r := a.rules(Workspace)
	r.HideNames = true
	ask := a.reader(t, uid, plan{Rules: r})
	for question, want := range map[string]string{
		"list " + a.path("home/.ssh"): "denied", "list " + a.path("home"): "denied", "list /": "denied",
		"list " + a.path("home/seen"): "done", "read " + a.path("home/seen/file"): "done", "lacks names": "false", "lacks entries": "true",
	} {
		if got := ask(question); got != want {
			t.Errorf("%s: got %s, want %s", question, got, want)
		}
	}
}

// The lower of two paths counts, and our own files are never handed over.
func TestRootAndHidden(t *testing.T) {
	uid := os.Getuid()
	for _, level := range []Level{Workspace, Strict} {
		t.Run(level.String(), func(t *testing.T) {
			a := newArena(t, uid)
			for _, dir := range []string{"home/.ssh/project", "home/.cache/terrarium/private", "home/.local/share/mine"} {
				if err := os.MkdirAll(a.path(dir), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			r := Rules{Level: level, Home: a.path("home"), Roots: []string{a.path("home"), a.path("home/.ssh/project")}, Private: a.path("home/.cache/terrarium/private")}
			ask := a.reader(t, uid, plan{Rules: r})
			for question, want := range map[string]string{
				"write " + a.path("home/seen/file"):                     "done",
				"write " + a.path("home/seen/new"):                      "done",
				"write " + a.path("home/.gitconfig"):                    "done",
				"write " + a.path("home/.local/share/mine/new"):         "done",
				"write " + a.path("home/new"):                           "denied",
				"write " + a.path("home/.config/new"):                   "denied",
				"write " + a.path("home/.ssh/id"):                       "denied",
				"read " + a.path("home/.ssh/id"):                        "denied",
				"write " + a.path("home/.ssh/authorized_keys"):          "denied",
				"write " + a.path("home/.ssh/project/new"):              "done",
				"write " + a.path("home/.config/gh/new"):                "denied",
				"write " + a.path("home/.config/terrarium/policy.toml"): "denied",
				"read " + a.path("home/.config/terrarium/policy.toml"):  "denied",
				"write " + a.path("home/.cache/terrarium/new"):          "denied",
				"write " + a.path("home/.cache/terrarium/private/new"):  "done",
				"write " + a.path("home/.local/state/terrarium/new"):    "open " + a.path("home/.local/state/terrarium/new") + ": no such file or directory",
				"around " + a.path("home"):                              "true",
				"around " + a.path("home/.config"):                      "true",
			} {
				if got := ask(question); got != want {
					t.Errorf("%s: got %s, want %s", question, got, want)
				}
			}
		})
	}
}

// A process has no capabilities but those over files, and gets none again.
func TestStatus(t *testing.T) {
	onEachUser(t, func(t *testing.T, uid int) {
		a := newArena(t, uid)
		status, err := strconv.Unquote(a.reader(t, uid, plan{Rules: a.rules(Strict)})("status "))
		if err != nil {
			t.Fatal(err)
		}
		capabilities := "0000000000000000"
		if uid == 0 {
			capabilities = fmt.Sprintf("%016x", keptCapabilities)
		}
		for _, want := range []string{
			"NoNewPrivs:\t1\n", "Seccomp:\t2\n", "CapInh:\t0000000000000000\n", "CapPrm:\t" + capabilities + "\n",
			"CapEff:\t" + capabilities + "\n", "CapAmb:\t0000000000000000\n",
		} {
			if !strings.Contains(status, want) {
				t.Errorf("got %s, want %q in it", status, want)
			}
		}
		if uid == 0 && !strings.Contains(status, "CapBnd:\t"+capabilities+"\n") {
			t.Errorf("got %s, want no more to be had", status)
		}
	})
}
