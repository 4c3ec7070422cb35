package fetch

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/plugin"
)

// What a plugin's files may be.
const (
	maxFiles     = 20_000
	maxFileBytes = 512 << 20 // together
)

// UnpackFiles makes the directory dir and puts there what is in name, a tar in an
// archive: plain files and directories, for this user alone. A link, or a name
// that leads out of dir, is refused. If it fails, what is in dir is the caller's to
// remove.
func UnpackFiles(r io.Reader, name, dir string) error {
	file, _, err := find(r, name)
	if err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	left := int64(maxFileBytes)
	files := tar.NewReader(file)
	for range maxFiles {
		member, err := files.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s in the archive: %w", plugin.Printable(name), err)
		}
		left -= max(member.Size, 0)
		if left < 0 {
			return fmt.Errorf("%s in the archive: more than %d bytes of files", plugin.Printable(name), maxFileBytes)
		}
		if err := unpackOne(root, member, files); err != nil {
			return fmt.Errorf("%s in the archive: %s: %w", plugin.Printable(name), plugin.Printable(member.Name), err)
		}
	}
	return fmt.Errorf("%s in the archive: more than %d files", plugin.Printable(name), maxFiles)
}

func unpackOne(root *os.Root, member *tar.Header, r io.Reader) error {
	name := filepath.Clean(filepath.FromSlash(member.Name))
	switch {
	case !filepath.IsLocal(name):
		return errors.New("not a name of a file below")
	case member.Typeflag == tar.TypeDir:
		return root.MkdirAll(name, 0o700)
	case member.Typeflag != tar.TypeReg:
		return errors.New("neither a file nor a directory")
	}
	if err := root.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Close())
}
