// Package plugins has the commands of the sandbox that come with Terrarium.
package plugins

import (
	"embed"
	"io/fs"
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

// Optional are further names that the module "box" answers to, which are of use with a
// plugin only: a host has those that the plugin's manifest asks for.
var Optional = []string{"c++", "cc", "clang", "clang++", "g++", "gcc", "node"}

// directCommands are those that the module "direct" stands for.
var directCommands = []string{"echo", "false", "pwd", "true"}

// Direct returns the small module that stands for some of m's commands where a host
// starts them itself, as hostwasm.Module.Direct does. ok is false where there is none.
func (m Module) Direct() (direct Module, ok bool) {
	direct = Module{"direct", directCommands}
	return direct, m.Name == "box" && direct.Missing() == nil
}

// Load returns the module's bytes. A program that was built without it says how to get it.
func (m Module) Load() ([]byte, error) {
	b, err := dist.ReadFile(m.file())
	if err != nil {
		return nil, notBuilt(m.Name)
	}
	return b, nil
}

// Missing returns the error of Load.
func (m Module) Missing() error {
	if _, err := fs.Stat(dist, m.file()); err != nil {
		return notBuilt(m.Name)
	}
	return nil
}

func (m Module) file() string { return "dist/" + m.Name + ".wasm" }

// notBuilt is the error of a module by its name.
type notBuilt string

func (e notBuilt) Error() string {
	return "this build has no " + string(e) + " for the sandbox: run make build"
}

func (notBuilt) Unwrap() error { return fs.ErrNotExist }
