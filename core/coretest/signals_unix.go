//go:build unix

package coretest

import (
	"os"
	"os/signal"
	"syscall"
)

// HeedSignals has what the calling test starts begin with default signals where
// the test itself was told to ignore some, as by nohup(1): a program inherits
// what is ignored, and a shell can't trap it. The test goes on ignoring them.
func HeedSignals() {
	for _, s := range []os.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT} {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
}
