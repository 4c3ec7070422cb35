package repo

import (
	"errors"
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

// CopyObjects copies all objects of the repository in from to the one in dir: the local way to clone.
func CopyObjects(dir, from string) error {
	err := os.CopyFS(filepath.Join(dir, "objects"), os.DirFS(filepath.Join(from, "objects")))
	return errors.Join(err, copyShallow(dir, from))
}
