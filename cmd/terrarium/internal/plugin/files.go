package plugin

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

// filesSuffix ends the names of directories with the files of plugins.
const filesSuffix = ".files"

// places are where plugins may have files, or below: nowhere that people keep
// theirs, which would be covered.
var places = []string{"usr", "opt", "lib", "share"}

// CheckAt says why a plugin can't have files at a path of the sandbox.
func CheckAt(at string) error {
	first, _, _ := strings.Cut(strings.TrimPrefix(at, "/"), "/")
	if len(at) > maxText || path.Clean(at) != at || !path.IsAbs(at) || !slices.Contains(places, first) {
		return fmt.Errorf("at %s: want a path at or below /%s", Printable(at), strings.Join(places, ", /"))
	}
	return checkText("at", at, maxText)
}

func (m Manifest) checkFiles() error {
	switch {
	case m.Files == "" && m.At == "":
		return nil
	case m.Files == "" || m.At == "":
		return errors.New("files without at, or at without files")
	case !strings.HasSuffix(m.Files, filesSuffix):
		return fmt.Errorf("files %s: want a name that ends in %s", Printable(m.Files), filesSuffix)
	}
	if err := CheckName(m.Files); err != nil {
		return fmt.Errorf("files %w", err)
	}
	return CheckAt(m.At)
}

// FilesOf returns the name of the directory for the files of a plugin, of which
// download is the sum: other files get another one.
func FilesOf(name, download string) string {
	return name[:min(len(name), 40)] + "-" + download[:min(len(download), 12)] + filesSuffix
}
