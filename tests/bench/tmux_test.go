package bench

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// startTmux has tmux run the commands, each in a window, over its control mode (tmux(1), CONTROL
// MODE).
func startTmux(b *testing.B, pty bool) (func(int) ([]time.Duration, error), error) {
	if !pty {
		return nil, errors.New("tmux has only ptys")
	}
	path, err := exec.LookPath("tmux")
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(path, "-S", filepath.Join(b.TempDir(), "socket"), "-f", "/dev/null", "-C", "new-session", "sleep 1000")
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	b.Cleanup(func() {
		io.WriteString(in, "kill-server\n")
		in.Close()
		cmd.Wait()
	})
	lines := bufio.NewReader(out)
	return timed(func() error {
		if _, err := io.WriteString(in, "new-window -d /bin/true\n"); err != nil {
			return err
		}
		for {
			line, err := lines.ReadSlice('\n')
			switch {
			case err != nil:
				return err
			case bytes.HasPrefix(line, []byte("%error")):
				return errors.New("tmux refused")
			case bytes.HasPrefix(line, []byte("%unlinked-window-close")), bytes.HasPrefix(line, []byte("%window-close")):
				return nil
			}
		}
	}), nil
}

// lastLine is what a program that failed said last.
func lastLine(stderr []byte) string {
	lines := strings.Split(strings.TrimSpace(string(stderr)), "\n")
	for _, line := range lines {
		if strings.Contains(line, "Error: ") { // node says where it was thrown after it
			return line
		}
	}
	return lines[len(lines)-1]
}
