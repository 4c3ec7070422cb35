package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/printable"
	"github.com/terrarium-dev/terrarium/hostwasm/cache"
	"github.com/terrarium-dev/terrarium/plugins"
)

// ownFolder is where, below the user's plugins, modules of ours are that this program was
// built without. No command reaches it, as none reaches what is around it.
const ownFolder = "own"

// ownDir returns that folder, in which nobody else can put anything. An error may be that
// there is none.
func ownDir() (string, error) {
	dir, err := userPlugins()
	if err != nil {
		return "", err
	}
	dir = filepath.Join(dir, ownFolder)
	return dir, withHome(cache.CheckPath(dir))
}

// ownModules returns the modules that are ours: those of this program, and of those that
// it was built without what was added. One that there is neither way is Missing.
func ownModules() []plugins.Module {
	dir, err := ownDir()
	switch {
	case err == nil:
		return plugins.In(dir)
	case !errors.Is(err, fs.ErrNotExist):
		skipOwn.Do(func() { warn(os.Stderr, fmt.Errorf("skipped modules of ours: %w", err)) })
	}
	return plugins.Modules()
}

// skipOwn has a person told once.
var skipOwn sync.Once

// ownCommands returns the names that our own modules answer to.
func ownCommands() (names []string) {
	for _, m := range ownModules() {
		names = append(names, m.Commands...)
	}
	return names
}

// ownModule returns the module of ours that answers to name, or has it.
func ownModule(name string) (m plugins.Module, ok bool) {
	for _, m := range ownModules() {
		if m.Name == name || slices.Contains(m.Commands, name) {
			return m, true
		}
	}
	return plugins.Module{}, false
}

// isOurs reports whether name is a command of ours, or what plugins list calls a module of ours.
func isOurs(name string) bool {
	_, ok := ownModule(name)
	return ok
}

// isOwnModule reports whether name is that of a module of ours, which can be added where
// this program was built without.
func isOwnModule(name string) bool {
	return slices.ContainsFunc(plugins.Modules(), func(m plugins.Module) bool { return m.Name == name })
}

// withAdvice returns why a module of ours can't be loaded, with what a person can type.
func withAdvice(err error) error {
	missing, ok := errors.AsType[*plugins.MissingError](err)
	if !ok {
		return err
	}
	const add = "terrarium plugins add "
	advice := add + missing.Name
	switch {
	case plugins.Version() == plugins.Devel:
		advice = "run make build, or " + advice + " DIR, with the source"
	case missing.Why != "":
		advice = "terrarium plugins update " + missing.Name
	}
	return fmt.Errorf("%s: %s", printable.Text(missing.What()), advice)
}

// Why a command did not start that a missing module of ours has: core.HostError.Reason.
const (
	reasonNoBox = "no_box"
	reasonNoGit = "no_git"
)

// A lack is what the sandbox lacks of ours, by the names of modules.
type lack map[string]error

// lacking returns what there is not.
func lacking() lack {
	l := make(lack)
	for _, m := range ownModules() {
		if err := m.Missing(); err != nil {
			l[m.Name] = withAdvice(err)
		}
	}
	return l
}

// of returns why a command that is not found may be missing. Without the box nobody knows
// which commands it has, so it may be any.
func (l lack) of(command string) (reason string, err error) {
	switch {
	case l["git"] != nil && command == "git":
		return reasonNoGit, l["git"]
	case l["box"] != nil:
		return reasonNoBox, l["box"]
	}
	return "", nil
}
