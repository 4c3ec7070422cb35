//go:build unix

package main

import (
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
)

// followStops puts the terminal back when we are to stop, stops us, and takes the terminal again
// when we go on. Where we were told to ignore SIGTSTP from the start, we do. It is SIGSTOP that
// stops us: Go's runtime keeps its handler of SIGTSTP, which does nothing, also after signal.Reset.
func (c *console) followStops() {
	stops, goesOn := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(goesOn, unix.SIGCONT) // also after a SIGSTOP, which nobody can follow
	if !signal.Ignored(unix.SIGTSTP) {
		signal.Notify(stops, unix.SIGTSTP)
	}
	go func() { // left behind when we exit
		for {
			select {
			case <-stops:
				c.leave()
				unix.Kill(unix.Getpid(), unix.SIGSTOP)
			case <-goesOn:
				c.comeBack()
			}
		}
	}()
}
