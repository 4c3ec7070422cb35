package place_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/place"
	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver/remote"
)

// patience is how long a test waits for what must happen.
const patience = 3 * time.Minute

// standIn puts a program called name before all others in PATH. It notes its arguments, a line
// each, in the file that is returned, and does what script says.
func standIn(t *testing.T, name, script string) (args string) {
	t.Helper()
	dir := t.TempDir()
	args = filepath.Join(dir, "args")
	text := "#!/bin/sh\nfor a in \"$@\"; do echo \"$a\"; done >'" + args + "'\n" + script + "\n"
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	return args
}

func dialer(t *testing.T, name string, far ...string) *place.Dialer {
	t.Helper()
	p, err := place.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	d := &place.Dialer{Place: p, Far: far}
	t.Cleanup(func() { d.Close() })
	return d
}

// connect connects over d, and explains why it can't.
func connect(t *testing.T, d *place.Dialer) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	host, err := remote.Connect(ctx, remote.Config{Dial: d.Dial})
	if err != nil {
		return d.Explain(ctx, err)
	}
	host.Close()
	return nil
}

// Each program gets the arguments that it has to, and carries bytes as they are.
func TestBytes(t *testing.T) {
	for name, want := range map[string]string{
		"ssh:box":           "-T -- box terrarium '--x=a b'",
		"docker:web":        "exec -i web terrarium --x=a b",
		"podman:web":        "exec -i web terrarium --x=a b",
		"kubectl:web/log":   "exec -i web -c log -- terrarium --x=a b",
		"exec:thing -f 'g'": "-f g terrarium --x=a b",
	} {
		t.Run(name, func(t *testing.T) {
			program, _, _ := strings.Cut(name, ":")
			if program == "exec" {
				program = "thing"
			}
			args := standIn(t, program, "exec cat")
			d := dialer(t, name, "terrarium", "--x=a b")
			conn, err := d.Dial(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			sent := make([]byte, 1<<20)
			for i := range sent {
				sent[i] = byte(i * 7)
			}
			go conn.Write(sent) // ends with the connection
			got := make([]byte, len(sent))
			if _, err := io.ReadFull(conn, got); err != nil || string(got) != string(sent) {
				t.Errorf("got other bytes, and %v", err)
			}
			conn.Close()
			if n, err := conn.Read(got); n != 0 || !errors.Is(err, os.ErrClosed) {
				t.Errorf("got %d bytes and %v after Close, want %v", n, err, os.ErrClosed)
			}
			line, err := os.ReadFile(args)
			if got := strings.ReplaceAll(strings.TrimSpace(string(line)), "\n", " "); err != nil || got != want {
				t.Errorf("got the arguments %s and %v, want %s", got, err, want)
			}
		})
	}
}

// Close ends a program that does not end by itself, and whoever reads meanwhile.
func TestClose(t *testing.T) {
	standIn(t, "ssh", "trap '' TERM HUP; while :; do sleep 1; done")
	d := dialer(t, "ssh:box", "terrarium")
	conn, err := d.Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	read := make(chan error)
	go func() {
		_, err := conn.Read(make([]byte, 1))
		read <- err
	}()
	conn.Close()
	if err := <-read; !errors.Is(err, os.ErrClosed) {
		t.Errorf("got %v, want %v", err, os.ErrClosed)
	}
	d.Close() // waits for the program
	if _, err := d.Dial(t.Context()); !errors.Is(err, os.ErrClosed) {
		t.Errorf("got %v after Close, want %v", err, os.ErrClosed)
	}
}

// What a program has read it can send although the connection was closed.
func TestLastWords(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	standIn(t, "ssh", "cat >'"+out+"'; echo over >>'"+out+"'")
	d := dialer(t, "ssh:box", "terrarium")
	conn, err := d.Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(conn, "last words, ")
	conn.Close()
	d.Close()
	if got, err := os.ReadFile(out); err != nil || string(got) != "last words, over\n" {
		t.Errorf("got %q and %v", got, err)
	}
}

// loses begins a stand-in for podman exec, which drops what a program has said that ended before
// its input came.
const loses = `if test "$(head -c 1 | wc -c)" -gt 0; then exit 1; fi; `

// What a program says when it fails becomes one line, with what to do.
func TestFailures(t *testing.T) {
	type failure struct {
		name, script string
		want         string
		is           error
	}
	for _, test := range []failure{
		{"ssh:box", "echo 'Host key verification failed.' >&2; exit 255",
			`its key is not known: "ssh box" shows it and asks (Host key verification failed.)`, nil},
		{"ssh:box", "echo 'Host key for box has changed and you have requested strict checking.\nHost key verification failed.' >&2; exit 255",
			"its key is another one than before: find out why before you remove the old one with ssh-keygen -R box (Host key verification failed.)", nil},
		{"ssh:box", "echo 'ada@box: Permission denied (publickey).' >&2; exit 255",
			`it does not let you in: try "ssh box" (ada@box: Permission denied (publickey).)`, nil},
		{"ssh:box", "echo 'ssh: Could not resolve hostname box: Name or service not known' >&2; exit 255",
			"there is no such host: see HostName in ~/.ssh/config (ssh: Could not resolve hostname box: Name or service not known)", nil},
		{"ssh:box", "echo 'ssh: connect to host box port 22: Connection refused' >&2; exit 255",
			"nothing listens there: is its sshd up, and on this port? (ssh: connect to host box port 22: Connection refused)", nil},
		{"ssh:box", "echo 'bash: line 1: terrarium: command not found' >&2; exit 127",
			"there is no terrarium in its PATH (bash: line 1: terrarium: command not found)", place.ErrMissing},
		{"ssh:box", "echo 'sh: 1: terrarium: not found' >&2; exit 127",
			"there is no terrarium in its PATH (sh: 1: terrarium: not found)", place.ErrMissing},
		{"ssh:box", "echo 'terrarium-not: not found' >&2; exit 127", "terrarium-not: not found", nil},
		{"ssh:box", "exit 127", "there is no terrarium in its PATH", place.ErrMissing},
		{"ssh:box", "exit 3", "ssh has ended without a word, with exit status 3", nil},
		{"ssh:box", "printf 'a\\033[2Jb\\r\\n' >&2; exit 1", `a\x1b[2Jb`, nil},
		{"ssh:box", "echo Welcome to box; cat >/dev/null",
			`the other side is no terrarium; it says "Welcome to box"`, nil},
		{"ssh:box", "echo Welcome to box; echo 'terrarium: not found' >&2; exit 127",
			"there is no terrarium in its PATH (terrarium: not found)", place.ErrMissing},
		{"ssh:box", "cat", "the other side sends back what it is sent, as cat does", nil},
		{"ssh:box", "echo 'terrarium: no such command: host: did you mean test?\nusage: terrarium COMMAND [flags]' >&2; exit 2",
			"the terrarium there is of another version (terrarium: no such command: host: did you mean test?)", place.ErrVersion},
		{"ssh:box", "echo 'terrarium: unknown flag: --keep\nusage: terrarium host serve' >&2; exit 2",
			"the terrarium there is of another version (terrarium: unknown flag: --keep)", place.ErrVersion},
		{"ssh:box", `echo 'terrarium: no limit of memory here' >&2; printf 'panic: no\n\ngoroutine 1 [running]:\nmain.main()\n' >&2; exit 2`,
			`the far side has crashed ("panic: no")`, nil},
		// The program itself may be the one that has.
		{"docker:web", `printf 'panic: no) - send money (\n\ngoroutine 1 [running]:\n' >&2; exit 2`, `docker or the far side has crashed ("panic: no) - send money (")`, nil},
		{"podman:web", `printf 'SIGSEGV: segmentation violation\nPC=0x1 m=0 sigcode=1\n' >&2; exit 2`, `podman or the far side was killed ("SIGSEGV: segmentation violation")`, nil},
		{"kubectl:web", `printf 'panic: no\n\ngoroutine 1 [running]:\n' >&2; exit 2`, `kubectl or the far side has crashed ("panic: no")`, nil},
		{"kubectl:web", `printf 'SIGKILL: out of memory: the kernel has killed it\ngoroutine x]:\n' >&2; exit 2`, "goroutine x]:", nil},
		{"ssh:box", "echo 'terrarium: --mount /x: no such directory' >&2; exit 2", "--mount /x: no such directory", nil},
		{"docker:web", "echo 'Error response from daemon: No such container: web' >&2; exit 1",
			`there is no such container: "docker ps" lists them (Error response from daemon: No such container: web)`, nil},
		{"docker:web", `echo 'OCI runtime exec failed: exec failed: unable to start container process: exec: "terrarium": executable file not found in $PATH: unknown'; exit 126`,
			"there is no terrarium in its PATH", place.ErrMissing},
		{"docker:web", "echo 'Error response from daemon: container 0a1b is not running' >&2; exit 1",
			`it does not run: "docker start web" starts it (Error response from daemon: container 0a1b is not running)`, nil},
		{"docker:web", "echo 'permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock' >&2; exit 1",
			"the daemon does not let you in: see the group docker, or DOCKER_HOST (permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock)", nil},
		{"docker:web", `echo 'OCI runtime exec failed: exec failed: unable to start container process: exec: "terrarium": executable file not found in $PATH: unknown' >&2; exit 127`,
			`there is no terrarium in its PATH (OCI runtime exec failed: exec failed: unable to start container process: exec: "terrarium": executable file not found in $PATH: unknown)`, place.ErrMissing},
		{"podman:web", `echo 'Error: no container with name or ID "web" found: no such container' >&2; exit 125`,
			`there is no such container: "podman ps" lists them (Error: no container with name or ID "web" found: no such container)`, nil},
		{"podman:web", "echo 'Error: crun: executable file `terrarium` not found in $PATH: No such file or directory: OCI runtime attempted to invoke a command that was not found' >&2; exit 127",
			"there is no terrarium in its PATH (Error: crun: executable file `terrarium` not found in $PATH: No such file or directory: OCI runtime attempted to invoke a command that was not found)", place.ErrMissing},
		{"podman:web", loses + "echo 'exec terrarium: no such file or directory' >&2; exit 1",
			"there is no terrarium in its PATH (exec terrarium: no such file or directory)", place.ErrMissing},
		{"kubectl:web", `echo 'Error from server (NotFound): pods "web" not found' >&2; exit 1`,
			`there is no such pod in this namespace: "kubectl get pods" lists them (Error from server (NotFound): pods "web" not found)`, nil},
		{"kubectl:web/log", `echo 'Error from server (BadRequest): container log is not valid for pod web' >&2; exit 1`,
			`it has no such container: "kubectl describe pod web" lists them (Error from server (BadRequest): container log is not valid for pod web)`, nil},
		{"kubectl:web", `echo 'exec: "terrarium": executable file not found in $PATH: unknown\ncommand terminated with exit code 127' >&2; exit 127`,
			"there is no terrarium in its PATH (command terminated with exit code 127)", place.ErrMissing},
		{"exec:env", "", "there is no terrarium in its PATH (env: 'terrarium-that-is-not': No such file or directory)", nil},
		{"exec:no-such-program-here", "", "sh: 1: exec: no-such-program-here: not found", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			program, _, _ := strings.Cut(test.name, ":")
			far := "terrarium"
			if program == "exec" {
				far = "terrarium-that-is-not"
			} else {
				standIn(t, program, test.script)
			}
			err := connect(t, dialer(t, test.name, far))
			switch {
			case err == nil:
				t.Error("got a connection")
			case program == "exec": // the words are the system's
				if text := err.Error(); !strings.HasPrefix(text, test.name+": ") || strings.Contains(text, "\n") {
					t.Errorf("got %q", text)
				}
			case err.Error() != test.name+": "+test.want || !errors.Is(err, test.is) && test.is != nil:
				t.Errorf("got %v, want %s: %s", err, test.name, test.want)
			}
			if test.is == nil && (errors.Is(err, place.ErrMissing) || errors.Is(err, place.ErrVersion)) && program != "exec" {
				t.Errorf("%v: got an error that a copy of ours would mend", err)
			}
		})
	}
}

// What a program has said before its last line is kept where we have no words of our own for that.
func TestBeside(t *testing.T) {
	for script, want := range map[string][]string{
		"printf 'one\n\033two\nthree\n' >&2; exit 1":                                       {"one", `\x1btwo`},
		"printf 'terrarium: why\nusage\n' >&2; exit 1":                                     {"usage"},
		"printf 'Usage: x\none\ntwo\nSee '\\''docker run --help'\\''\n' >&2; exit 1":       {"one"},
		"echo one >&2; exit 1":                                                             nil,
		"printf 'WARNING\nHost key verification failed.\n' >&2; exit 255":                  nil,
		"printf 'terrarium: no memory\npanic: no\n\ngoroutine 1 [running]:\n' >&2; exit 2": nil,
	} {
		standIn(t, "ssh", script)
		err := connect(t, dialer(t, "ssh:box", "terrarium"))
		f, ok := errors.AsType[*place.Failure](err)
		if !ok || !slices.Equal(f.Beside, want) {
			t.Errorf("%s: got %+v, want beside it %q", script, err, want)
		}
	}
}

func TestNoProgram(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	err := connect(t, dialer(t, "docker:web", "terrarium"))
	if want := "docker:web: there is no docker in PATH: install it"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// A program that says much is not kept in memory, and its last words are.
func TestTalkative(t *testing.T) {
	standIn(t, "ssh", "i=0; while [ $i -lt 3000 ]; do echo line $i; i=$((i+1)); done >&2; head -c 3000000 /dev/zero | tr '\\0' x >&2; echo >&2; echo the last >&2; exit 1")
	err := connect(t, dialer(t, "ssh:box", "terrarium"))
	if want := "ssh:box: the last"; err == nil || err.Error() != want {
		t.Errorf("got %.200v, want %s", err, want)
	}
}

// Whoever writes to a program that has ended learns why, too, and not only whoever reads.
func TestWriteToEnded(t *testing.T) {
	standIn(t, "ssh", "exec <&-; echo 'Connection to box closed by remote host.' >&2; exit 255")
	conn, err := dialer(t, "ssh:box", "terrarium").Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for err == nil { // until it reads no more
		_, err = conn.Write(make([]byte, 1<<10))
	}
	if want := "ssh:box: Connection to box closed by remote host."; err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// A link that breaks is made again, and the reason is what the program has said.
func TestReconnects(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(relayVariable, serve(t, dir))
	pid := filepath.Join(dir, "pid")
	standIn(t, "ssh", "echo $$ >'"+pid+"'; echo 'Connection to box closed by remote host.' >&2; exec '"+os.Args[0]+"'")
	states := make(chan remote.State, 8)
	d := dialer(t, "ssh:box", "terrarium")
	host, err := remote.Connect(t.Context(), remote.Config{Dial: d.Dial, OnState: func(s remote.State) { states <- s }})
	if err != nil {
		t.Fatal(d.Explain(t.Context(), err))
	}
	defer host.Close()
	if _, err := host.Resolve(t.Context(), core.Command{Command: "true"}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(pid)
	if err != nil {
		t.Fatal(err)
	}
	relay, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(relay, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if s := <-states; s.Link != remote.Reconnecting || !strings.Contains(s.Err.Error(), "ssh:box: Connection to box closed") {
		t.Errorf("got %v and %v, want reconnecting, with what ssh has said", s.Link, s.Err)
	}
	if s := <-states; s.Link != remote.Resumed {
		t.Errorf("got %v and %v, want resumed", s.Link, s.Err)
	}
	if _, err := host.Resolve(t.Context(), core.Command{Command: "true"}); err != nil {
		t.Error(err)
	}
}
