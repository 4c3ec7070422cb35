package main

import (
	"fmt"
	"os"
	"syscall"
	"time"
)

// lastMoment is what is left to end what was begun, when a second signal has come: enough for what
// can be ended, and a person does not notice it.
const lastMoment = 200 * time.Millisecond

// hurryAtNext waits for the next signal, which comes while what was begun is given up, or for done.
// At the signal it has hurry end at once what can be, and soon ends us, if we have not ended by
// ourselves until then. last is called then, and must not wait. The status is that of the first
// signal.
func hurryAtNext(signals <-chan os.Signal, done <-chan struct{}, first syscall.Signal, hurry, last func()) {
	select {
	case <-signals:
	case <-done:
		return
	}
	go hurry() // left behind when we exit
	time.Sleep(lastMoment)
	last()
	if first == syscall.SIGINT {
		leaveLine()
	}
	os.Exit(statusSignal + int(first))
}

// leaveLine goes to the next line of a terminal that may show "^C": shells see no signal that has
// ended us.
func leaveLine() {
	if isTerminal(os.Stderr) {
		fmt.Fprint(os.Stderr, lineEnd(os.Stderr))
	}
}
