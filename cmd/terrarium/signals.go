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
