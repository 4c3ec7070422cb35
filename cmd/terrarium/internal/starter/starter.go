// Package starter writes the beginning of an agent for "terrarium harness": a small program with
// types for the wire, its own test, and a README that says how to run both. It needs nothing but
// the standard library of its language.
//
// What it writes is in the folder templates, a folder for each language, as it is written; but a
// name that ends in .txt there loses that, since a go.mod would hide its folder from go:embed.
package starter

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed templates
var templates embed.FS

// ErrLanguage says that there is no agent in a language.
var ErrLanguage = errors.New("no such language")

// Languages returns the names of the languages that New knows, sorted.
func Languages() []string {
	folders, _ := templates.ReadDir("templates") // embedded: it is there
	var names []string
	for _, f := range folders {
		names = append(names, f.Name())
	}
	return names
}

// New writes an agent in a language to a folder, which it makes if need be. It returns the names
// of the files, below the folder. A folder that holds anything is an error, and so is a language
// that is none of [Languages] ([ErrLanguage]): then nothing is written. After another error what
// was written until then is gone again.
func New(language, folder string) (files []string, err error) {
	if !slices.Contains(Languages(), language) {
		return nil, fmt.Errorf("%s: %w: use %s", language, ErrLanguage, strings.Join(Languages(), ", "))
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return nil, err
	}
	there, err := os.Open(folder)
	if err != nil {
		return nil, err
	}
	defer there.Close()
	if names, _ := there.Readdirnames(1); len(names) > 0 { // an error comes again below
		return nil, fmt.Errorf("%s: not empty: name a folder that is empty or not there yet", folder)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	from, err := fs.Sub(templates, path.Join("templates", language))
	if err != nil {
		return nil, err
	}
	if files, err = write(root, from); err != nil {
		for _, name := range files {
			root.Remove(name) // if that fails, too, the first error is the one to tell
		}
		return nil, fmt.Errorf("%s: %w", folder, err)
	}
	return files, nil
}

// write writes the files of from, and overwrites none. What it returns is there, also with an
// error.
func write(root *os.Root, from fs.FS) (files []string, err error) {
	err = fs.WalkDir(from, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		if d.IsDir() {
			return root.Mkdir(filepath.FromSlash(name), 0o777)
		}
		text, err := fs.ReadFile(from, name)
		if err != nil {
			return err
		}
		to := filepath.FromSlash(strings.TrimSuffix(name, ".txt"))
		f, err := root.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err != nil {
			return err
		}
		files = append(files, to)
		_, err = f.Write(text)
		return errors.Join(err, f.Close())
	})
	return files, err
}
