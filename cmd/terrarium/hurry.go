package main

import (
	"cmp"
	"fmt"
	"os"
	"syscall"
	"time"
)

// lastMoment is what is left to end what was begun, when a second signal has come: enough for what
// can be ended, and a person does not notice it.
const lastMoment = 200 * time.Millisecond

// hurryAtNext waits for the next signal, or for done. At the signal it is hurryOut, with the status
// of the first one: that by which what was begun is given up, or 0 if this is the first.
func hurryAtNext(signals <-chan os.Signal, done <-chan struct{}, first syscall.Signal, hurry, last func()) {
	select {
	case s := <-signals:
		hurryOut(cmp.Or(first, s.(syscall.Signal)), hurry, last)
	case <-done:
	}
}

// leaveUnlessOpened is hurryOut for a signal that comes before opened, unless that comes soon: then
// the signal is for who starts the command, who gives that up in an orderly way.
func leaveUnlessOpened(signals chan os.Signal, opened <-chan struct{}, hurry, last func()) {
	select {
	case s := <-signals:
		select {
		case <-opened:
			signals <- s // if four more have come, it waits: who starts the command takes them
		case <-time.After(lastMoment):
			hurryOut(s.(syscall.Signal), hurry, last)
		}
	case <-opened:
	}
}

// hurryOut has hurry end at once what can be, and soon ends us, if we have not ended by ourselves
// until then. last is called then, and must not wait for long.
func hurryOut(why syscall.Signal, hurry, last func()) {
	go hurry() // left behind when we exit
	time.Sleep(lastMoment)
	last()
	if isKey(why) {
		leaveLine()
	}
	os.Exit(statusSignal + int(why))
}

// briefly waits for f no longer than limit, and leaves it behind then.
func briefly(limit time.Duration, f func()) {
	done := make(chan struct{})
	go func() {
		f()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(limit):
	}
}

// isKey reports whether a signal may have come by a key.
func isKey(s syscall.Signal) bool { return s == syscall.SIGINT || s == syscall.SIGQUIT }

// leaveLine goes to the next line of a terminal that may show "^C": shells see no signal that has
// ended us.
func leaveLine() {
	if isTerminal(os.Stderr) {
		fmt.Fprint(os.Stderr, lineEnd(os.Stderr))
	}
}
