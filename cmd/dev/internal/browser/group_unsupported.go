//go:build !linux

package browser

import "os/exec"

// withUs is missing: where nobody can ask for it, a browser outlives us if we are killed.
func withUs(*exec.Cmd) {}

// endAll ends cmd, with which its own processes end.
func endAll(cmd *exec.Cmd) { cmd.Process.Kill() }
