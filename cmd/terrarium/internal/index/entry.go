package index

import (
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/plugin"
)

// An Entry is a plugin that can be had.
type Entry struct {
	Name        string   `toml:"name"`
	Version     string   `toml:"version"`
	Description string   `toml:"description"`
	Licence     string   `toml:"licence"`
	Aliases     []string `toml:"aliases"`
	// Source says where its build is published: see ParseSource.
	Source string `toml:"source"`
	// SHA256 is the sum of what is downloaded, in 64 hexadecimal digits, and
	// Size how many bytes that has, and no more.
	SHA256 string `toml:"sha256"`
	Size   int64  `toml:"size"`
	// Module is the module's name in the archive that is downloaded. It is empty
	// where the download is the module.
	Module string `toml:"module"`
	// Files is a tar in the archive, of files that the plugin's commands read at At,
	// a path of the sandbox. Both may be empty.
	Files string `toml:"files"`
	At    string `toml:"at"`
	// Box, Memory, Env and Needs are as in a plugin's manifest.
	Box    []string `toml:"box"`
	Memory int64    `toml:"memory"`
	Env    []string `toml:"env"`
	Needs  []string `toml:"needs"`
	// Smoke are arguments that show whether it works, and Answer is a part of
	// what it then writes to its standard output.
	Smoke  []string `toml:"smoke"`
	Answer string   `toml:"answer"`

	source Source
}

// Bounds of an entry.
const (
	minSize  = 8         // bytes: what begins each module
	maxSize  = 256 << 20 // bytes of a download
	maxSmoke = 16        // arguments
	maxText  = 500       // bytes of an argument, and other texts
	maxShort = 100       // bytes of a licence, and of the name in an archive
)

// From returns where the entry's build is published.
func (e *Entry) From() Source { return e.source }

// Manifest returns what is kept of the entry with the module.
func (e *Entry) Manifest() plugin.Manifest {
	m := plugin.Manifest{
		Name: e.Name, Aliases: e.Aliases, Box: e.Box, Memory: e.Memory, Env: e.Env, Needs: e.Needs,
		Description: e.Description, Version: e.Version, Source: e.Source, Download: e.SHA256,
	}
	if e.Files != "" {
		m.Files, m.At = plugin.FilesOf(e.Name, e.SHA256), e.At
	}
	return m
}

// check says which key is wrong, and why. dir is where files lie that the index
// names: see Parse.
func (e *Entry) check(dir string) (key string, err error) {
	if err := plugin.CheckName(e.Name); err != nil {
		return "name", err
	}
	for _, text := range []struct{ key, value string }{
		{"version", e.Version}, {"description", e.Description}, {"licence", e.Licence},
	} {
		if text.value == "" {
			return text.key, errors.New("missing")
		}
	}
	if err := checkText(e.Licence, maxShort); err != nil {
		return "licence", err
	}
	if e.source, err = ParseSource(e.Source); err != nil {
		return "source", err
	}
	if e.source.Scheme == File && dir == "" {
		return "source", errors.New("only an index that is a file here may name files")
	}
	if sum, err := hex.DecodeString(e.SHA256); err != nil || len(sum) != 32 || e.SHA256 != strings.ToLower(e.SHA256) {
		return "sha256", errors.New("want the sum of what is downloaded, in 64 hexadecimal digits, small ones")
	}
	if e.Size < minSize || e.Size > maxSize {
		return "size", fmt.Errorf("%d: out of range: want %d to %d bytes", e.Size, minSize, maxSize)
	}
	if err := checkModule(e.Module, e.isArchive()); err != nil {
		return "module", err
	}
	if err := e.checkFiles(); err != nil {
		return "files", err
	}
	if len(e.Smoke) == 0 || len(e.Smoke) > maxSmoke {
		return "smoke", fmt.Errorf("%d arguments: want 1 to %d, which show that it works", len(e.Smoke), maxSmoke)
	}
	if e.Answer == "" {
		return "answer", errors.New("missing")
	}
	for _, arg := range append([]string{e.Answer}, e.Smoke...) {
		if err := checkText(arg, maxText); err != nil {
			return "smoke", err
		}
	}
	if err := e.Manifest().Check(); err != nil {
		return "", err // which says what it is about
	}
	return "", nil
}

// isArchive reports whether the download has the module among other files. A layer's
// name does not tell: there it is as the entry says.
func (e *Entry) isArchive() bool {
	return e.source.IsArchive() || e.source.Scheme == OCI && e.Module != ""
}

// checkFiles says what is wrong with the files.
func (e *Entry) checkFiles() error {
	switch {
	case e.Files == "" && e.At == "":
		return nil
	case e.Files == "" || e.At == "":
		return errors.New("files without at, or at without files")
	case !strings.HasSuffix(e.Files, ".tar"):
		return errors.New("want a .tar in the archive")
	}
	if err := checkModule(e.Files, e.isArchive()); err != nil {
		return err
	}
	return plugin.CheckAt(e.At)
}

// checkModule says what is wrong with the name of a module in an archive.
func checkModule(name string, archive bool) error {
	switch {
	case archive && name == "":
		return errors.New("missing: which file of the archive is it?")
	case !archive && name != "":
		return errors.New("what is downloaded is no archive: it is the module")
	case name == "":
		return nil
	case path.Clean(name) != name || path.IsAbs(name) || strings.HasPrefix(name, ".."):
		return errors.New("want the file's name as the archive has it, with no . or .. in it")
	}
	return checkText(name, maxShort)
}

// checkText says why a text can't be shown.
func checkText(text string, most int) error {
	switch {
	case len(text) > most:
		return fmt.Errorf("%d bytes: at most %d", len(text), most)
	case plugin.Printable(text) != text && len(text) <= maxShort, strings.ContainsFunc(text, plugin.Unprintable):
		return errors.New("has a character that can't be shown")
	}
	return nil
}
