//go:build !unix

package plugins

import "os/exec"

// endWithChildren does nothing: what cmd has started may go on.
func endWithChildren(*exec.Cmd) {}

// killChildren does nothing, for the same reason.
func killChildren(*exec.Cmd) {}
