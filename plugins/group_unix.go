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

// killChildren kills what is left of what cmd has started, once cmd itself has ended: it may not
// heed SIGTERM. While one of its group lives, no other process gets the group's number.
func killChildren(cmd *exec.Cmd) {
	if cmd.Process != nil {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // an error means that nothing is left
	}
}
