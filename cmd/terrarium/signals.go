package main

import (
	"os"
	"os/signal"
	"syscall"
)

// notifyEnd has c receive the signals that ask us to end, but for those that
// we were told to ignore from the start, as nohup(1) does.
func notifyEnd(c chan<- os.Signal) {
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		if !signal.Ignored(s) {
			signal.Notify(c, s)
		}
	}
}

// startDefault has commands begin with default signals, also where we were told
// to ignore some: who starts a server with nohup(1) does not mean what it is
// asked to run, and a shell could not give its commands ^C back. We go on
// ignoring them. It comes after notifyEnd, which then would not know. run does
// not call it: "nohup terrarium run X" is "nohup X".
func startDefault() {
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT} {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
}
