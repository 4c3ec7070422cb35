//go:build !linux

package main

import (
	"io"
	"os"
)

func peerInput() *os.File   { return os.Stdin }
func peerOutput() io.Writer { return os.Stdout }

func reopenPipe(int, int) int { return -1 }
