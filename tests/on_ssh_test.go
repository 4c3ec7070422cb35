package tests

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// An sshBox is a server of ssh on loopback, which "ssh box" reaches.
type sshBox struct {
	*testing.T
	dir string
	env []string
}

// TestSSH has terminals by a real ssh: commands, what is told of a broken link, refusals.
func TestSSH(t *testing.T) {
	watchModule(t)
	b := newSSHBox(t)
	if out, errs, status := b.run("--on", "ssh:box", "--cwd", "/", "--env", "A=it's", "--", "sh", "-c", `echo "$A" in $PWD; echo err >&2; exit 3`); out != "it's in /\n" || errs != "err\n" || status != 3 {
		t.Errorf("got %q, %q and %d", out, errs, status)
	}
	want, _ := exec.Command("seq", "1400000").Output()
	if out, errs, status := b.run("--on", "ssh:box", "--cwd", "/", "--", "seq", "1400000"); out != string(want) || errs != "" || status != 0 {
		t.Errorf("got %d bytes, %q and %d, want %d bytes", len(out), errs, status, len(want))
	}

	// The connection is cut from over there. What is killed may end later than the command would,
	// so that waits for the next connection.
	const cut = `echo one; old=$(cat "$0"); kill -9 $old; while test "$(cat "$0")" = "$old"; do sleep 0.01; done; echo two`
	out, errs, status := b.run("--on", "ssh:box", "--cwd", "/", "--", "sh", "-c", cut, filepath.Join(b.dir, "link"))
	if out != "one\ntwo\n" || status != 0 || !strings.Contains(errs, "terrarium: ssh:box: reconnecting: ") || !strings.Contains(errs, "terrarium: ssh:box: resumed: nothing is lost\n") {
		t.Errorf("got %q, %q and %d, want what was written after the cut, too", out, errs, status)
	}

	// Without a terrarium over there, ours is copied, and then it is there.
	for range 2 {
		if out, errs, status := b.run("--on", "ssh:bare", "--cwd", "/", "--", "echo", "copied"); out != "copied\n" || status != 0 {
			t.Errorf("got %q, %q and %d", out, errs, status)
		}
	}
	if found, err := filepath.Glob(filepath.Join(b.dir, "cache", "terrarium", "bin", "*")); len(found) != 1 {
		t.Errorf("got %v and %v, want one copy", found, err)
	}

	for place, want := range map[string]string{
		"ssh:unknown":  `its key is not known: "ssh unknown" shows it and asks (Host key verification failed.)`,
		"ssh:denied":   `it does not let you in: try "ssh denied" (`,
		"ssh:nowhere":  "nothing listens there: is its sshd up, and on this port? (",
		"ssh:nobodies": "there is no such host: see HostName in ~/.ssh/config (",
	} {
		_, errs, status := b.run("--on", place, "--cwd", "/", "--", "true")
		if !strings.HasPrefix(errs, "terrarium: "+place+": "+want) || strings.Count(errs, "\n") != 1 || status != 125 {
			t.Errorf("%s: got %q and %d, want %s", place, errs, status, want)
		}
	}
}

// stillConnecting is a line that comes where a busy machine takes longer to connect.
var stillConnecting = regexp.MustCompile(`(?m)^terrarium: \S+: still connecting: [^\n]*\n`)

// run returns what "terrarium run" writes, without those lines, and its exit status.
func (b *sshBox) run(args ...string) (stdout, stderr string, status int) {
	b.Helper()
	ctx := limited(b.T)
	cmd := exec.CommandContext(ctx, "terrarium", append([]string{"run"}, args...)...)
	cmd.Env = b.env
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if e, ok := errors.AsType[*exec.ExitError](err); err != nil && (!ok || !e.Exited()) {
		b.Fatalf("terrarium run %q: %v\n%s", args, err, &errs)
	}
	return out.String(), stillConnecting.ReplaceAllString(errs.String(), ""), cmd.ProcessState.ExitCode()
}

// newSSHBox starts the server. It takes the user and PATH of this process, and knows one key.
func newSSHBox(t *testing.T) *sshBox {
	t.Helper()
	sshd := findSSHD(t)
	me, err := user.Current()
	if err != nil {
		t.Skip("NOT RUN: ", err)
	}
	b := &sshBox{T: t, dir: t.TempDir()}
	for _, key := range []string{"host", "mine", "other"} {
		b.must(exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(b.dir, key)))
	}
	port, bare, closed := freePort(t), freePort(t), freePort(t)
	host, err := os.ReadFile(filepath.Join(b.dir, "host.pub"))
	if err != nil {
		t.Fatal(err)
	}
	b.file("known", fmt.Sprintf("[127.0.0.1]:%d %s[127.0.0.1]:%d %s", port, host, bare, host), 0o600)
	b.file("none", "", 0o600)
	b.file("sshd_config", fmt.Sprintf(`ListenAddress 127.0.0.1:%d
ListenAddress 127.0.0.1:%d
HostKey DIR/host
AuthorizedKeysFile DIR/mine.pub
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
Match LocalPort %d
 ForceCommand DIR/bin/box
Match LocalPort %d
 ForceCommand DIR/bin/bare
`, port, bare, port, bare), 0o600)
	// A login's own files may change PATH, so it is set behind them.
	for name, path := range map[string]string{"box": filepath.Dir(terrariumPath(t)) + ":/usr/bin:/bin", "bare": "/usr/bin:/bin"} {
		b.file("bin/"+name, "#!/bin/sh\nexport PATH='"+path+"' XDG_CACHE_HOME=DIR/cache\nexec sh -c \"$SSH_ORIGINAL_COMMAND\"\n", 0o755)
	}
	b.file("config", fmt.Sprintf(`Host nobodies
 HostName nobody.invalid
Host nowhere
 Port %d
Host bare
 Port %d
Host unknown
 UserKnownHostsFile DIR/none
Host denied
 IdentityFile DIR/other
Host box bare
 IdentityFile DIR/mine
Host *
 HostName 127.0.0.1
 Port %d
 User %s
 IdentitiesOnly yes
 IdentityAgent none
 UserKnownHostsFile DIR/known
 GlobalKnownHostsFile DIR/none
 StrictHostKeyChecking yes
 BatchMode yes
`, closed, bare, port, me.Username), 0o600)
	// ssh looks for its configuration in the home directory that the system knows, whatever HOME
	// is.
	ssh, err := exec.LookPath("ssh")
	if err != nil {
		t.Skip("NOT RUN: ", err)
	}
	b.file("bin/ssh", "#!/bin/sh\necho $$ >DIR/link\nexec '"+ssh+"' -F DIR/config \"$@\"\n", 0o755)
	b.env = append(os.Environ(), "PATH="+filepath.Join(b.dir, "bin")+":"+os.Getenv("PATH"), "SSH_AUTH_SOCK=")
	b.start(sshd)
	// A user without a shell, say, gets in nowhere.
	in := exec.CommandContext(limited(t), filepath.Join(b.dir, "bin", "ssh"), "-T", "box", "echo in")
	if out, err := in.CombinedOutput(); err != nil || string(out) != "in\n" {
		t.Skipf("NOT RUN: ssh does not get in: %v %s", err, out)
	}
	return b
}

func (b *sshBox) file(name, text string, mode os.FileMode) {
	b.Helper()
	path := filepath.Join(b.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "DIR", b.dir)), mode); err != nil {
		b.Fatal(err)
	}
}

func (b *sshBox) must(cmd *exec.Cmd) {
	b.Helper()
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Skipf("NOT RUN: %v: %v %s", cmd, err, out)
	}
}

// start starts the server, and waits until it listens.
func (b *sshBox) start(sshd string) {
	b.Helper()
	// As root it wants a directory of the system's, which is made for it alone.
	line := `exec "$0" -D -e -f "$1"`
	args := []string{"sh", "-c", line, sshd, filepath.Join(b.dir, "sshd_config")}
	if os.Geteuid() == 0 {
		args[2] = "mount -t tmpfs none /run && mkdir -m 755 /run/sshd && " + line
		args = append([]string{"unshare", "-m", "--propagation", "private"}, args...)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Skip("NOT RUN: ", err)
	}
	b.Cleanup(func() {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		cmd.Wait()
	})
	said := ""
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		if said += lines.Text() + "\n"; strings.Count(said, "Server listening on") == 2 {
			go func() { // ends with the server
				for lines.Scan() {
				}
			}()
			return
		}
	}
	b.Skipf("NOT RUN: sshd does not start: %s", said)
}

// findSSHD returns where the server is: Debian's is not in everybody's PATH.
func findSSHD(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"sshd", "/usr/sbin/sshd"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("NOT RUN: there is no sshd: on Debian, openssh-server has it")
	return ""
}

// freePort returns a port of loopback on which nobody listens.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
