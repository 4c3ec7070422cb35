package tests

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestSandboxModes works on a repository of the host, with the built command: in a worker, whose
// host sets the modes. Each line leaves the repository as native tools would, and git sees no
// change where there is none.
func TestSandboxModes(t *testing.T) {
	if raceDetector() {
		t.Skip("takes minutes to compile box and git with the race detector, which sees nothing inside the sandbox")
	}
	needBox(t)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=n", "-c", "user.email=e"}, args...)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %q: %v: %s", args, err, out)
		}
		return string(out)
	}
	script, plain := filepath.Join(dir, "run.sh"), filepath.Join(dir, "plain")
	if err := os.WriteFile(script, []byte("#!/bin/bash\necho one\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(plain, []byte("text\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	// The modes hold whatever our umask is.
	for file, mode := range map[string]os.FileMode{script: 0o755, plain: 0o644} {
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
	}
	git("init", "-q", "-b", "main")
	git("config", "core.filemode", "true")
	git("add", ".")
	git("commit", "-qm", "first")
	for _, c := range []struct {
		line, want    string
		status        int
		script, plain os.FileMode // afterwards
	}{
		{"git status -s; ls -l run.sh | cut -c1-10", "-rwxr-xr-x\n", 0, 0o755, 0o644},
		{"git commit -qam nothing > /dev/null", "", 1, 0o755, 0o644},
		{"sed -i s/one/two/ run.sh && ./run.sh && git status -s", "two\n M run.sh\n", 0, 0o755, 0o644},
		{"git checkout -- . && ./run.sh", "one\n", 0, 0o755, 0o644},
		{"./plain", "bash: line 1: ./plain: Permission denied\n", 126, 0o755, 0o644},
		{"./plain x y", "bash: line 1: ./plain: Permission denied\n", 126, 0o755, 0o644},
		{"chmod +x plain && chmod 600 run.sh && git status -s", " M plain\n M run.sh\n", 0, 0o600, 0o755},
		{"git reset -q --hard; git status -s", "", 0, 0o755, 0o644},
		{"umask 077; cp run.sh mine && mv mine run.sh && rm -f mine; git status -s", "", 0, 0o700, 0o644},
		{"ln -s plain l; touch -h -d @86400 l && cp -a l m && mv m /tmp/m && stat -c %Y l /tmp/m; rm l /tmp/m", "86400\n86400\n", 0, 0o700, 0o644},
		{"tar cf /tmp/t.tar . && rm run.sh plain && tar xf /tmp/t.tar && git status -s", "", 0, 0o700, 0o644},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		cmd := exec.CommandContext(ctx, "terrarium", "run", "--host", "wasm", "--mount", dir, "--cwd", dir, "--", "bash", "-c", "umask 022; "+c.line)
		out, err := cmd.CombinedOutput()
		cancel()
		if err != nil && cmd.ProcessState == nil {
			t.Fatal(err)
		}
		if got := string(out); got != c.want || cmd.ProcessState.ExitCode() != c.status {
			t.Errorf("%s: got %q, status %d, want %q, %d", c.line, got, cmd.ProcessState.ExitCode(), c.want, c.status)
		}
		for file, want := range map[string]os.FileMode{script: c.script, plain: c.plain} {
			info, err := os.Stat(file)
			if err != nil {
				t.Fatal(err)
			}
			if info.Mode() != want {
				t.Errorf("%s: %s has mode %v, want %v", c.line, filepath.Base(file), info.Mode(), want)
			}
		}
		if got := git("diff", "--summary"); c.script&0o100 != 0 && c.plain&0o100 == 0 && got != "" {
			t.Errorf("%s: native git sees %q", c.line, got)
		}
	}
}
