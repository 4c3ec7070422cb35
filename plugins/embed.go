// Package plugins has the commands of the sandbox that come with Terrarium: the box, a
// shell and its tools in one module, and git.
//
// The modules are built, and not part of the source. A program that was made from a tree
// after "make build" has them inside: see Modules. One that was made by the go command
// alone, from a release of this module, has none, and Build makes them, from the same
// release, with the go command of the machine that it runs on:
//
//	modules, err := plugins.Build(ctx, dir) // minutes once, then nothing
//
// Either way a host has their commands by hostwasm.Commands:
//
//	host, err := hostwasm.New(hostwasm.Config{Engine: engine, Commands: hostwasm.Commands(modules)})
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
	// Built is what is known of a module in a folder: see In. It is nil for one that is
	// part of this program, or missing.
	Built *Built

	folder *folder // of Built, or why there is none
}

// Modules returns the modules that are part of this program. Those that it was built
// without can't be loaded: In has what Build has made of them. Of such a box only the
// shells are among its commands, so that who starts a command line is told.
func Modules() []Module {
	names, err := dist.ReadFile("dist/box.txt")
	if err != nil {
		names = []byte("bash sh")
	}
	return []Module{
		{Name: "box", Commands: strings.Fields(string(names))},
		{Name: "git", Commands: []string{"git"}},
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
	direct = Module{Name: "direct", Commands: directCommands}
	switch {
	case m.Name != "box":
		return direct, false
	case m.Built != nil:
		direct.folder = m.folder.direct()
		return direct, direct.folder != nil
	}
	return direct, direct.Missing() == nil
}

// Names returns m's Name and Commands. With it hostwasm.Commands takes modules.
func (m Module) Names() (module string, commands []string) { return m.Name, m.Commands }

// Load returns the module's bytes. Where the program was built without it, the error is
// a *MissingError.
func (m Module) Load() ([]byte, error) {
	if m.folder != nil {
		return m.folder.load()
	}
	b, err := dist.ReadFile(m.file())
	if err != nil {
		return nil, &MissingError{Name: m.Name}
	}
	return b, nil
}

// Missing returns the error of Load. Of a module in a folder it does not read all.
func (m Module) Missing() error {
	if m.folder != nil {
		return m.folder.err
	}
	if _, err := fs.Stat(dist, m.file()); err != nil {
		return &MissingError{Name: m.Name}
	}
	return nil
}

func (m Module) file() string { return "dist/" + m.Name + ".wasm" }

// A MissingError is that a program is without a module: it was built by the go command
// alone, and Build has not been called, or not for this version.
type MissingError struct {
	Name string
	Why  string // what is wrong with the one in a folder, if there is one
}

// Error says what a programmer can do. Who has another way than Build tells of that.
func (e *MissingError) Error() string { return e.What() + ": plugins.Build makes it" }

// What says what is missing, in a few words.
func (e *MissingError) What() string {
	if e.Why != "" {
		return "this build has no " + e.Name + " for the sandbox, and " + e.Why
	}
	return "this build has no " + e.Name + " for the sandbox"
}

// Unwrap has errors.Is know it as fs.ErrNotExist.
func (e *MissingError) Unwrap() error { return fs.ErrNotExist }
