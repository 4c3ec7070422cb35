// Package private is for files and directories with secrets in them: it uses none that others could
// have read or changed.
package private

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// Read reads a file of at most limit bytes that nobody but its owner may read or write. Nothing
// else than a file is read, so a named pipe is not waited for.
func Read(name string, limit int64) ([]byte, error) {
	return read(name, syscall.O_NONBLOCK, limit, isFile, isOwners)
}

// ReadGiven is Read, but takes also a file of root's that a group of ours may read, and not write,
// and that nobody else may use: root has chosen that group, and can read every file anyway. So
// Kubernetes hands a Secret to a user that is not root. PostgreSQL reads its keys by the same rule.
//
// https://kubernetes.io/docs/concepts/storage/volumes/#secret
// https://www.postgresql.org/docs/current/ssl-tcp.html#SSL-SETUP
func ReadGiven(name string, limit int64) ([]byte, error) {
	return read(name, syscall.O_NONBLOCK, limit, isFile, func(info fs.FileInfo) bool {
		return isOwners(info) || isGiven(info)
	})
}

// ReadOrPipe is Read, but takes a pipe and the like too, as a shell makes of <(COMMAND): what comes
// through it has a reader already.
func ReadOrPipe(name string, limit int64) ([]byte, error) {
	return read(name, 0, limit, func(fs.FileInfo) bool { return true }, isOwners)
}

func isFile(info fs.FileInfo) bool { return info.Mode().IsRegular() }

// isOwners reports whether nobody but its owner may read or write a file.
func isOwners(info fs.FileInfo) bool { return info.Mode().Perm()&0o077 == 0 }

// read reads what is of a kind that is taken, and secret if it is a file.
func read(name string, flags int, limit int64, isTaken, isSecret func(fs.FileInfo) bool) ([]byte, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|flags, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !isTaken(info) {
		return nil, fmt.Errorf("%s: it is no file", name)
	}
	if isFile(info) && !isSecret(info) {
		return nil, fmt.Errorf("%s: mode %04o: others may read or write it: chmod 600", name, info.Mode().Perm())
	}
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(b)) > limit {
		err = fmt.Errorf("%s: longer than %d bytes", name, limit)
	}
	return b, err
}

// Mkdir makes a directory that only we may enter, where it is not there yet. In one such as /tmp
// another user can have made it before: what is no such directory of ours, as a link to one, is
// refused.
func Mkdir(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() || info.Mode().Perm() != 0o700 || checkOwner(dir, info) != nil {
		return fmt.Errorf("%s is not a directory that only you may enter: remove it", dir)
	}
	return nil
}

// MkdirAll makes a directory for us alone, with those above it, where it is not there yet. One that
// is there has to be ours, and nobody else may write to it. It may be what a link leads to, and
// others may read it: unlike Mkdir's, it is where a person wants it.
func MkdirAll(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if err := checkOwner(dir, info); err != nil {
		return err
	}
	if info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("%s: mode %04o: others may write to it: chmod 700", dir, info.Mode().Perm())
	}
	return nil
}
