package demo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// nothingLeft waits until no process has variable, as NAME=value, in its
// environment. One that was killed may need a moment; 10 s are not a moment.
func nothingLeft(ctx context.Context, variable string) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	for {
		left, err := processesWith(ctx, variable)
		if err != nil || len(left) == 0 {
			return err
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("processes are left: %s", strings.Join(left, ", "))
		}
	}
}

// processesWith returns the processes that have variable in their environment:
// from /proc, or where there is none from ps, as on macOS.
func processesWith(ctx context.Context, variable string) (found []string, err error) {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	if len(files) == 0 {
		return processesByPS(ctx, variable)
	}
	for _, file := range files {
		environ, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrPermission) {
			continue // not ours
		}
		if bytes.Contains(append([]byte{0}, environ...), []byte("\x00"+variable+"\x00")) {
			found = append(found, filepath.Base(filepath.Dir(file)))
		}
	}
	return found, nil
}

func processesByPS(ctx context.Context, variable string) (found []string, err error) {
	out, err := exec.CommandContext(ctx, "ps", "axeww", "-o", "pid=,command=").Output()
	if err != nil {
		return nil, fmt.Errorf("ps: %w", err)
	}
	for line := range strings.Lines(string(out)) {
		if fields := strings.Fields(line); strings.Contains(line+" ", " "+variable+" ") {
			found = append(found, fields[0])
		}
	}
	return found, nil
}
