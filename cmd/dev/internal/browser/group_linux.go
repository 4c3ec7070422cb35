package browser

import (
	"os/exec"
	"syscall"
)

// withUs has cmd be ended when we end, also if we are killed. Its own processes end with it then.
func withUs(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// endAll ends cmd and what it has started.
func endAll(cmd *exec.Cmd) { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
