// Package plugins has the commands of the sandbox that come with Terrarium.
package plugins

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed all:dist
var dist embed.FS

// A Module is a WASI module that answers to some names.
type Module struct {
	Name     string
	Commands []string
}

// Modules returns the modules; those that this build is without cannot be loaded.
func Modules() []Module {
	names, _ := dist.ReadFile("dist/box.txt")
	return []Module{
		{"box", strings.Fields(string(names))},
		{"git", []string{"git"}},
	}
}

// Load returns the module's bytes. A program that was built without it says how to get it.
func (m Module) Load() ([]byte, error) {
	b, err := dist.ReadFile("dist/" + m.Name + ".wasm")
	if err != nil {
		return nil, fmt.Errorf("this build has no %s for the sandbox: run make build: %w", m.Name, err)
	}
	return b, nil
}
