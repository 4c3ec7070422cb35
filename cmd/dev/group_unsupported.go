//go:build !unix

package main

import "os/exec"

// endWithChildren does nothing here: only cmd itself is killed.
func endWithChildren(cmd *exec.Cmd) {}
