package hostnative_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/hostnative"
)

// workspace returns a Host whose commands are confined to a directory with a git
// repository.
func workspace(t *testing.T) (h *hostnative.Host, root string) {
	t.Helper()
	h, root = sandboxed(t, hostnative.SandboxWorkspace)
	for _, name := range []string{"hooks", "objects", "refs"} {
		if err := os.MkdirAll(filepath.Join(root, ".git", name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"HEAD": "ref: refs/heads/main\n", "config": "[core]\n", "hooks/pre-push": "good\n"} {
		if err := os.WriteFile(filepath.Join(root, ".git", name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return h, root
}

// meddle starts a shell in root and returns it, with its output once that has ended.
func meddle(t *testing.T, h *hostnative.Host, root, script string) (p driver.Process, output func() string) {
	t.Helper()
	e, err := h.Resolve(t.Context(), core.Command{Command: "/bin/sh", Args: []string{"-c", script}, Cwd: root, Session: "s"})
	if err != nil {
		t.Fatal(err)
	}
	if p, err = h.Start(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	var text strings.Builder
	ended := make(chan struct{})
	go func() { // ends with the output, which Close ends
		p.Output(func(_ uint8, b []byte) { text.Write(b) })
		close(ended)
	}()
	return p, func() string { <-ended; return text.String() }
}

func repairs(p driver.Process) (told []string) {
	for _, r := range p.(driver.Repairer).Repairs() {
		told = append(told, filepath.Base(r.Path)+" "+r.Change+" "+string(r.Outcome))
	}
	return told
}

func wantRepairs(t *testing.T, p driver.Process, want ...string) {
	t.Helper()
	if got := repairs(p); strings.Join(got, ", ") != strings.Join(want, ", ") {
		t.Errorf("repairs: got %q, want %q", got, want)
	}
}

func wantText(t *testing.T, name, want string) {
	t.Helper()
	data, err := os.ReadFile(name)
	if string(data) != want || (err == nil) != (want != "") {
		t.Errorf("%s: got %q, %v, want %q", name, data, err, want)
	}
}

// When a command's end is told, what it has changed is put back, and its output ends with
// a line for each file.
func TestProtected(t *testing.T) {
	h, root := workspace(t)
	p, output := meddle(t, h, root, `echo evil >.git/hooks/pre-push; mkdir .vscode; echo evil >.vscode/tasks.json; chmod 0 .vscode; printf part`)
	if _, err := p.Wait(); err != nil {
		t.Fatal(err)
	}
	wantText(t, filepath.Join(root, ".git/hooks/pre-push"), "good\n")
	if _, err := os.Lstat(filepath.Join(root, ".vscode")); !os.IsNotExist(err) {
		t.Errorf("an empty directory is left, or more: %v", err)
	}
	text := output()
	for _, line := range []string{"part\n", "/.git/hooks/pre-push: changed, put back, kept as ", "/.vscode/tasks.json: created, taken away, kept as "} {
		if !strings.Contains(text, line) {
			t.Errorf("output %q lacks %q", text, line)
		}
	}
	var got []string
	for _, r := range repairs(p) {
		if !strings.HasPrefix(r, ".vscode mode ") { // which root need not be given
			got = append(got, r)
		}
	}
	if want := "tasks.json created taken_away, pre-push changed put_back"; strings.Join(got, ", ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// What a command has left running changes files later: they are compared again when it
// has ended, too.
func TestProtectedFromDaemons(t *testing.T) {
	h, root := workspace(t)
	start := filepath.Join(root, "start")
	for _, name := range []string{start, filepath.Join(root, "done")} {
		if err := unix.Mkfifo(name, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p, _ := meddle(t, h, root, `sh -c 'read x <start; echo evil >.git/hooks/pre-push; echo >done; exec sleep 1000' & exit 0`)
	if _, err := p.Wait(); err != nil {
		t.Fatal(err)
	}
	wantRepairs(t, p)
	if err := os.WriteFile(start, []byte("x\n"), 0); err != nil { // waits for the reader
		t.Fatal(err)
	}
	if _, err := openFIFO(t, filepath.Join(root, "done")).Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	wantRepairs(t, p, "pre-push changed put_back")
	wantText(t, filepath.Join(root, ".git/hooks/pre-push"), "good\n")
}

// What a person changes after a command that has left nobody is theirs, also before its
// terminal is released.
func TestProtectedBetween(t *testing.T) {
	h, root := workspace(t)
	p, output := meddle(t, h, root, `true`)
	if _, err := p.Wait(); err != nil {
		t.Fatal(err)
	}
	output()
	hook := filepath.Join(root, ".git/hooks/pre-push")
	if err := os.WriteFile(hook, []byte("better\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	next, _ := meddle(t, h, root, `echo evil >>.git/hooks/pre-push`)
	if _, err := next.Wait(); err != nil {
		t.Fatal(err)
	}
	wantText(t, hook, "better\n")
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	wantRepairs(t, p)
	wantText(t, hook, "better\n")
}
