package main

import (
	"fmt"
	"os"
	"time"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/printable"
)

// compileRate is how many bytes of a module are compiled in a second where two
// processors do it. clang's 75 MB took 70 s of two (time terrarium plugins add clang).
const compileRate = 1_000_000

// announced tells who adds a plugin that it is compiled, and how long that may take,
// where it takes longer than they would wait without a word. On a terminal the seconds
// count, elsewhere there is one line.
func announced(name string, size int) (done func()) {
	warnOfCache()
	may := max(time.Duration(size/compileRate), 1) * time.Second
	what := fmt.Sprintf("terrarium: compiling %s (%.1f MB, may take %v)", printable.Text(name), float64(size)/1e6, may)
	switch {
	case isTerminal(os.Stderr):
		return countSeconds(os.Stderr, what)
	case may > 2*time.Second:
		fmt.Fprintln(os.Stderr, what)
	}
	return nil
}

// countSeconds shows on a terminal what is under way, and for how long, until done.
func countSeconds(to *os.File, what string) (done func()) {
	began, stop, ended := time.Now(), make(chan struct{}), make(chan struct{})
	go func() { // done ends it, and waits
		defer close(ended)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for shown := false; ; shown = true {
			select {
			case <-tick.C:
				fmt.Fprintf(to, "\r%s: %.0fs\x1b[K", what, time.Since(began).Seconds())
			case <-stop:
				if shown {
					fmt.Fprint(to, "\r\x1b[K")
				}
				return
			}
		}
	}()
	return func() {
		close(stop)
		<-ended
	}
}
