package helper

import (
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/terrarium-dev/terrarium/hostnative/internal/strays"
	"github.com/terrarium-dev/terrarium/hostnative/internal/watchdog"
)

// sweepLimit is how long a helper stays to see what it has killed die.
const sweepLimit = 10 * time.Second

// watch waits for the host's end, and then kills what it has left.
func watch(host string) {
	id, rest, ok := strays.ParseHostID(host)
	if !ok || rest != "" {
		os.Stderr.WriteString("terrarium helper: " + watchdog.Env + " does not name a host\n")
		os.Exit(2)
	}
	signal.Ignore() // whoever ends the host gently does not mean us: we end with it
	os.Stdout.WriteString(watchdog.Ready)
	os.Stdout.Close()
	io.Copy(io.Discard, os.Stdin)
	strays.SweepHost(id, sweepLimit)
}
