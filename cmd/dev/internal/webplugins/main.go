// Command webplugins meters and compresses our plugins for pages, into a folder:
// what there is of them already, and still right, stays as it is. It is a program
// of its own because "dev" does without all that it needs.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/terrarium-dev/terrarium/hostwasm/engine/page/bundle"
	"github.com/terrarium-dev/terrarium/plugins"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: webplugins DIR")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "webplugins: %v\n", err)
		os.Exit(1)
	}
}

func run(dir string, out io.Writer) error {
	var modules []module
	for _, m := range plugins.Modules() {
		wasm, err := m.Load()
		if err != nil {
			return err
		}
		modules = append(modules, module{bundle.Describe(m.Name, m.Commands, wasm), wasm})
	}
	return update(dir, modules, out)
}

// A module is one to be written.
type module struct {
	bundle.Plugin
	wasm []byte
}

// update writes the modules to dir, and their index when all of them are there: a
// folder with an index is whole.
func update(dir string, modules []module, out io.Writer) error {
	index := bundle.NewIndex(nil)
	for _, m := range modules {
		index.Plugins = append(index.Plugins, m.Plugin)
	}
	indexFile := filepath.Join(dir, bundle.IndexFile)
	old, err := os.ReadFile(indexFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var stale []module
	for _, m := range modules {
		if !fresh(dir, m.Plugin, index.By, old) {
			stale = append(stale, m)
		}
	}
	current, err := os.ReadFile(filepath.Join(dir, scriptFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(stale) == 0 && bytes.Equal(old, index.Encode()) && bytes.Equal(current, script(index)) {
		fmt.Fprintf(out, "%s is up to date\n", dir)
		return nil
	}
	if err := os.Remove(indexFile); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := removeOthers(dir, modules); err != nil {
		return err
	}
	for _, m := range stale {
		compressed, err := bundle.Compress(m.Name, m.wasm)
		if err != nil {
			return err
		}
		if err := write(filepath.Join(dir, m.File()), compressed); err != nil {
			return err
		}
		fmt.Fprintf(out, "%s: %d bytes\n", m.File(), len(compressed))
	}
	if err := write(filepath.Join(dir, scriptFile), script(index)); err != nil {
		return err
	}
	if err := write(filepath.Join(dir, typesFile), []byte(types)); err != nil {
		return err
	}
	return write(indexFile, index.Encode())
}

// removeOthers removes the modules that are none of these from dir.
func removeOthers(dir string, modules []module) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.wasm.gz"))
	if err != nil {
		return err
	}
	for _, file := range files {
		if slices.ContainsFunc(modules, func(m module) bool { return m.File() == filepath.Base(file) }) {
			continue
		}
		if err := os.Remove(file); err != nil {
			return err
		}
	}
	return nil
}

// fresh reports whether an index says that the file of a plugin is what it would
// become again.
func fresh(dir string, p bundle.Plugin, by string, index []byte) bool {
	var old bundle.Index
	if json.Unmarshal(index, &old) != nil || old.By != by {
		return false
	}
	if _, err := os.Stat(filepath.Join(dir, p.File())); err != nil {
		return false
	}
	return slices.ContainsFunc(old.Plugins, func(o bundle.Plugin) bool { return o.Name == p.Name && o.Sum == p.Sum })
}

// write replaces a file. It is never there in part.
func write(file string, p []byte) error {
	whole := file + ".new"
	if err := os.WriteFile(whole, p, 0o666); err != nil {
		return err
	}
	return os.Rename(whole, file)
}
