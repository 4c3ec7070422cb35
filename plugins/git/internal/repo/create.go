package repo

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	modes "github.com/terrarium-dev/terrarium/plugins/fs"
)

// keepsModes reports whether files in dir have permissions.
func keepsModes(dir string) bool {
	info, err := os.Stat(dir)
	if err != nil {
		return false
	}
	_, ok := modes.Mode(info)
	return ok
}

// Create makes an empty repository in dir, or adds what one lacks.
func Create(dir, branch string, bare bool) error {
	for _, sub := range []string{"objects/info", "objects/pack", "refs/heads", "refs/tags", "info"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o777); err != nil {
			return err
		}
	}
	config := "[core]\n\trepositoryformatversion = 0\n\tfilemode = " + strconv.FormatBool(keepsModes(dir))
	if bare {
		config += "\n\tbare = true\n"
	} else {
		config += "\n\tbare = false\n\tlogallrefupdates = true\n"
	}
	for name, text := range map[string]string{
		"HEAD":         "ref: refs/heads/" + branch + "\n",
		"config":       config,
		"description":  "Unnamed repository; edit this file 'description' to name the repository.\n",
		"info/exclude": "",
	} {
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return err
		}
		_, err = f.WriteString(text)
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return nil
}

// CopyObjects copies all objects of the repository in from to the one in dir: the local way to
// clone. Where a link is among them, which would lead to what is no object of theirs, it is an
// error.
func CopyObjects(dir, from string) error {
	from = filepath.Clean(from)
	objects := filepath.Join(from, "objects")
	if info, err := os.Lstat(objects); err != nil || !info.IsDir() {
		return fmt.Errorf("failed to start iterator over '%s': Not a directory", objects)
	}
	all := os.DirFS(objects)
	err := fs.WalkDir(all, ".", func(name string, e fs.DirEntry, err error) error {
		if err == nil && e.Type()&fs.ModeSymlink != 0 {
			return fmt.Errorf("symlink '%s' exists, refusing to clone with --local", name)
		}
		return err
	})
	if err != nil {
		return err
	}
	return errors.Join(os.CopyFS(filepath.Join(dir, "objects"), all), copyShallow(dir, from))
}
