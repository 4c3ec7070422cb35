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
	keepsCompiled()
	what := compilingLine(name, size)
	switch {
	case isTerminal(os.Stderr):
		return countSeconds(os.Stderr, what)
	case takesLong(size):
		fmt.Fprintln(os.Stderr, what)
	}
	return nil
}

// compilingLine says that a module of so many bytes is compiled, and how long that may take.
func compilingLine(name string, size int) string {
	return fmt.Sprintf("terrarium: compiling %s (%.1f MB, may take %v)", printable.Text(name), float64(size)/1e6, max(compileTime(size), time.Second))
}

// takesLong reports whether a module of so many bytes is compiled for longer than somebody waits
// without a word.
func takesLong(size int) bool { return compileTime(size) > 2*time.Second }

func compileTime(size int) time.Duration { return time.Duration(size/compileRate) * time.Second }

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
