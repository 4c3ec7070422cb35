package main

import (
	"fmt"
	"os"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/otel"
)

// openSpans returns what tells OpenTelemetry of commands, or nil if the environment asks for
// nothing.
func openSpans() *otel.Spans {
	return otel.Open(os.Getenv, readBuild().Version, func(err error) {
		if !isTerminal(os.Stderr) {
			warn(os.Stderr, err)
			return
		}
		// In a line of its own also where a command has the terminal, and made it raw.
		fmt.Fprintf(os.Stderr, "\rterrarium: %s\r\n", message(err))
	})
}
