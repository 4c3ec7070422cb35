package tests

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

// A runcBox is a container of runc's that has the programs of this machine.
type runcBox struct {
	*testing.T
	dir string
	id  string
}

// newRuncBox starts one, which ends with the test.
func newRuncBox(t *testing.T) *runcBox {
	t.Helper()
	b := &runcBox{T: t, dir: t.TempDir(), id: "terrarium-test-" + strconv.Itoa(os.Getpid())}
	if _, err := exec.LookPath("runc"); err != nil {
		t.Skip("NOT RUN: there is no runc: Debian's package of that name has it")
	}
	root := filepath.Join(b.dir, "rootfs")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	b.must("spec")
	b.configure(root)
	b.must("run", "-d", b.id)
	t.Cleanup(func() { b.command("delete", "-f", b.id).Run() })
	return b
}

// exec returns the command line that starts a program in it.
func (b *runcBox) exec() []string {
	return append(b.command("exec").Args, b.id)
}

// command returns one of runc's, which knows no other containers.
func (b *runcBox) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(limited(b.T), "runc", append([]string{"--root", filepath.Join(b.dir, "state")}, args...)...)
	cmd.Dir = b.dir
	return cmd
}

// must runs a command, whose output goes to a file: the container has it too.
func (b *runcBox) must(args ...string) {
	b.Helper()
	said, err := os.Create(filepath.Join(b.dir, "said"))
	if err != nil {
		b.Fatal(err)
	}
	defer said.Close()
	cmd := b.command(args...)
	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Run(); err != nil {
		text, _ := os.ReadFile(said.Name())
		b.Skipf("NOT RUN: runc %s: %v: %s", args[0], err, text)
	}
}

// configure changes what "runc spec" has written: the container waits, has no input, and has the
// programs of this machine, terrarium, and the directories of tests.
func (b *runcBox) configure(root string) {
	b.Helper()
	path := filepath.Join(b.dir, "config.json")
	text, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	var c map[string]any
	if err := json.Unmarshal(text, &c); err != nil {
		b.Fatal(err)
	}
	process := c["process"].(map[string]any)
	process["terminal"] = false
	process["args"] = []string{"sleep", "1000000"}
	process["env"] = []string{"PATH=/terrarium:/usr/bin:/bin", "TMPDIR=/run"}
	mounts := []any{map[string]any{"destination": "/run", "type": "tmpfs", "source": "tmpfs"}}
	for _, m := range c["mounts"].([]any) {
		// That of cgroups can't be had everywhere, and is not needed.
		if m.(map[string]any)["type"] != "cgroup" {
			mounts = append(mounts, m)
		}
	}
	bind := func(from, to, mode string) {
		mounts = append(mounts, map[string]any{"destination": to, "type": "bind", "source": from, "options": []string{"rbind", mode}})
	}
	for _, name := range []string{"/usr", "/bin", "/lib", "/lib64"} {
		info, err := os.Lstat(name)
		switch {
		case err != nil: // not every system has all
		case info.IsDir():
			bind(name, name, "ro")
		default:
			to, err := os.Readlink(name)
			if err == nil {
				err = os.Symlink(to, filepath.Join(root, name))
			}
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	bind(filepath.Dir(terrariumPath(b.T)), "/terrarium", "ro")
	bind(os.TempDir(), os.TempDir(), "rw")
	c["mounts"] = mounts
	if text, err = json.Marshal(c); err == nil {
		err = os.WriteFile(path, text, 0o644)
	}
	if err != nil {
		b.Fatal(err)
	}
}
