package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestFleetGiven has somebody use credentials that root has given to a group, as a pod has those of
// a Secret.
func TestFleetGiven(t *testing.T) {
	t.Parallel()
	watchModule(t)
	if os.Getuid() != 0 {
		t.Skip("NOT RUN: only root can give a file to a group")
	}
	b := newFleetBox(t)
	nobody, dir := asNobody(t)
	given := filepath.Join(dir, "given")
	if err := copyProgram(given, b.user); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(given, 0, 65534); err != nil {
		t.Skip("NOT RUN: ", err) // root of a namespace with one user
	}
	if err := os.Chmod(given, 0o440); err != nil {
		t.Fatal(err)
	}
	p := b.startProgram(exec.Command("sh", "-c", nobody, "sh", "terrarium", "fleet", "ls", "--creds", given, b.url))
	if status := b.status(p); status != 0 {
		t.Errorf("got %d and %q, want that they are taken", status, &p.errs)
	}
}
