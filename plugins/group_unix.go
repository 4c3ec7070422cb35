//go:build unix

package plugins

import (
	"os/exec"
	"syscall"
)

// endWithChildren makes the end of cmd's context also the end of what it started: the go
// command passes no signal on to the compilers that it runs.
func endWithChildren(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
}
