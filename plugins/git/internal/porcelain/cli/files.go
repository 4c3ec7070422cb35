package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v6/plumbing"
	"github.com/go-git/go-git/v6/plumbing/filemode"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// BelowRoot is a name below a root as patches have it: without the "/" that it may begin with.
func BelowRoot(root, name string) string {
	p := root
	if name != "" {
		p = strings.TrimSuffix(root, "/") + "/" + name
	}
	return strings.TrimPrefix(p, "/")
}

// DiskFiles returns the files at and below a path, by their names below it. Their texts go into
// contents, unless that is nil. /dev/null has none.
func DiskFiles(root string, contents map[plumbing.Hash][]byte) (map[string]repo.File, error) {
	files := map[string]repo.File{}
	if root == "/dev/null" {
		return files, nil
	}
	err := filepath.WalkDir(root, func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		mode := filemode.Regular
		var text []byte
		if info.Mode()&fs.ModeSymlink != 0 && p != root {
			mode = filemode.Symlink
			target, err := os.Readlink(p)
			if err != nil {
				return err
			}
			text = []byte(target)
		} else if text, err = os.ReadFile(p); err != nil {
			return err
		} else if info.Mode()&0o100 != 0 {
			mode = filemode.Executable
		}
		h, err := repo.Hash(plumbing.BlobObject, text)
		if contents != nil {
			contents[h] = text
		}
		name, _ := filepath.Rel(root, p)
		if name == "." {
			name = ""
		}
		files[filepath.ToSlash(name)] = repo.File{Mode: mode, Hash: h}
		return err
	})
	return files, err
}
