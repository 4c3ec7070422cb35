// Package plugins has the commands of the sandbox that come with Terrarium.
package plugins

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed all:dist
var dist embed.FS

// BoxCommands returns the names that Box answers to; none if this build is
// without it.
func BoxCommands() []string {
	names, _ := dist.ReadFile("dist/box.txt")
	return strings.Fields(string(names))
}

// Box returns the module with the shell and the userland, one command under
// many names. A program that was built without it says how to get it.
func Box() ([]byte, error) {
	b, err := dist.ReadFile("dist/box.wasm")
	if err != nil {
		return nil, fmt.Errorf("this build has no commands for the sandbox: run make build: %w", err)
	}
	return b, nil
}
