package porcelain

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v6/plumbing"
	"github.com/go-git/go-git/v6/plumbing/filemode"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// diffNoIndex compares two files or directories, be they in a repository or not.
func (c *call) diffNoIndex(d *diffOutput, args []string, silent bool) error {
	if len(args) != 2 {
		return &failure{129, "usage: git diff --no-index [<options>] <path> <path>"}
	}
	contents := map[plumbing.Hash][]byte{}
	d.contents = contents
	var sides [2]map[string]repo.File
	for i, root := range args {
		files, err := diskFiles(root, contents)
		if err != nil {
			return &failure{128, "error: Could not access '" + root + "'"}
		}
		sides[i] = files
	}
	var changes []change
	names := repo.Snapshot{}
	for _, side := range sides {
		for name := range side {
			names[name] = repo.File{}
		}
	}
	for _, name := range names.Names() {
		from, was := sides[0][name]
		to, is := sides[1][name]
		old, new := belowRoot(args[0], name), belowRoot(args[1], name)
		switch {
		case from == to:
			continue
		case !was:
			changes = append(changes, change{'A', new, new, from, to, 0})
		case !is:
			changes = append(changes, change{'D', old, old, from, to, 0})
		default:
			changes = append(changes, change{'M', old, new, from, to, 0})
		}
	}
	if !silent {
		d.write(c.stdout, d.pick(changes))
	}
	if len(changes) > 0 {
		return quiet(1)
	}
	return nil
}

// belowRoot is a name below a root as patches have it: without the "/" that it may begin with.
func belowRoot(root, name string) string {
	p := root
	if name != "" {
		p = strings.TrimSuffix(root, "/") + "/" + name
	}
	return strings.TrimPrefix(p, "/")
}

// diskFiles returns the files at and below a path, by their names below it. Their texts go into
// contents, unless that is nil. /dev/null has none.
func diskFiles(root string, contents map[plumbing.Hash][]byte) (map[string]repo.File, error) {
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
