package tree

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"

	"github.com/terrarium-dev/terrarium/hostnative/internal/strays"
)

// A cgroup that somebody is in for longer than discard waits is removed in the end.
func TestDiscardLate(t *testing.T) {
	self, err := strays.Self()
	if err != nil {
		t.Skip(err)
	}
	in, err := strays.Own()
	if err != nil {
		t.Skip("no cgroups here: ", err)
	}
	g := &cgroups{in: in, self: self}
	c, _, err := g.take(0)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		t.Skip("no cgroups here: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Remove() })
	fd, err := c.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fd)
	cmd := exec.Command("sleep", "100")
	cmd.SysProcAttr = &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: fd}
	if err := cmd.Start(); err != nil {
		t.Skip("nothing starts in cgroups here: ", err)
	}
	g.discard(c)
	cmd.Process.Kill()
	cmd.Wait()
	for !c.Empty() {
		runtime.Gosched()
	}
	if _, err := os.Stat(string(c)); err != nil {
		t.Fatal(err)
	}
	g.close()
	if _, err := os.Stat(string(c)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want that there is none", err)
	}
}
