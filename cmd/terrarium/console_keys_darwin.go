package main

import "golang.org/x/sys/unix"

// The requests behind tcgetattr(3), and tcsetattr(3) with TCSANOW.
const (
	getTermios = unix.TIOCGETA
	setTermios = unix.TIOCSETA
)
