package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestFleetHarbor has the environment for Harbor run commands and copy files, with a stand-in for
// Harbor. Its worker is killed: that is no return code.
func TestFleetHarbor(t *testing.T) {
	t.Parallel()
	watchModule(t)
	if out, err := exec.Command("python3", "-c", "import tarfile; tarfile.data_filter").CombinedOutput(); err != nil {
		t.Skipf("NOT RUN: no python3 here, or one before 3.11.4: %v %s", err, out)
	}
	b := newFleetBox(t)
	dir := t.TempDir()
	printed, err := exec.CommandContext(limited(t), "terrarium", "fleet", "harbor").Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "terrarium_harbor.py"), printed, 0o600); err != nil {
		t.Fatal(err)
	}
	standIn, err := filepath.Abs("harbor")
	if err != nil {
		t.Fatal(err)
	}
	work := t.TempDir()
	worker := b.join("one", 4, "--label", "task=hello")
	cmd := exec.Command("python3", filepath.Join(standIn, "trial.py"), work)
	cmd.Env = append(os.Environ(), "PYTHONPATH="+dir+":"+standIn, "PYTHONDONTWRITEBYTECODE=1", "TERRARIUM_FLEET="+b.url, "NATS_CREDS="+b.user)
	trial := b.startProgram(cmd)
	lost := filepath.Join(work, "lost")
	b.until("a command runs", func() bool {
		select {
		case <-trial.exited:
			b.Fatalf("it has ended: %s", &trial.errs)
		default:
		}
		text, _ := os.ReadFile(lost)
		return strings.HasSuffix(string(text), "\n")
	})
	worker.cmd.Process.Kill()
	if status := b.status(trial); status != 0 || !strings.HasSuffix(trial.out.String(), "\ndone\n") {
		t.Errorf("got %d, %q and %s", status, &trial.out, &trial.errs)
	}
}
