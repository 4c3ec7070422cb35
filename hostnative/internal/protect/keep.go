//go:build linux || darwin

package protect

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// A keeping is what one Restore sets aside, in a directory of its own. It is made when needed.
type keeping struct {
	in    string
	limit int64
	dir   string
	files int
	bytes int64
}

var (
	errKeptFull = errors.New("too much is kept already")
	errTooLarge = errors.New("it is too large to be kept")
)

// temporaryName is a name that nothing looks for.
func temporaryName() string { return ".terrarium-" + rand.Text() }

// file keeps a copy of a file of r. name is what it was called, and at is where it is now.
func (k *keeping) file(r *root, name, at string, largest int64) (string, error) {
	i, err := stat(r.fd, at)
	if err != nil {
		return "", err
	}
	switch i.kind() {
	case unix.S_IFLNK:
		to, opaque := r.readlink(at)
		if opaque {
			return "", errNotRegular
		}
		return k.write(name, strings.NewReader(to), int64(len(to)))
	case unix.S_IFREG:
	default:
		return "", errNotRegular
	}
	f, i, err := r.regular(at)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if i.size > largest {
		return "", fmt.Errorf("%w (%d bytes)", errTooLarge, i.size)
	}
	return k.write(name, f, i.size)
}

// write keeps size bytes at most.
func (k *keeping) write(name string, from io.Reader, size int64) (string, error) {
	if k.bytes+size > k.limit {
		return "", errKeptFull
	}
	if k.dir == "" {
		if err := k.make(); err != nil {
			return "", err
		}
	}
	k.files++
	path := filepath.Join(k.dir, fmt.Sprintf("%d-%s", k.files, safeName(name)))
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	n, err := io.Copy(f, io.LimitReader(from, size))
	k.bytes += n
	if err := errors.Join(err, f.Close()); err != nil {
		os.Remove(path)
		return "", err
	}
	return path, nil
}

func (k *keeping) make() error {
	if err := os.MkdirAll(k.in, 0o700); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(k.in, time.Now().UTC().Format("20060102T150405.000000000Z")+"-")
	k.dir = dir
	return err
}

// trim removes what was kept first until the limit holds. What this one has kept stays.
func (k *keeping) trim() error {
	if k.dir == "" {
		return nil
	}
	dirs, err := os.ReadDir(k.in) // by name, so by age
	if err != nil {
		return err
	}
	sizes := make([]int64, len(dirs))
	var total int64
	for i, d := range dirs {
		filepath.WalkDir(filepath.Join(k.in, d.Name()), func(_ string, e fs.DirEntry, err error) error {
			if err == nil {
				if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
					sizes[i] += info.Size()
				}
			}
			return nil
		})
		total += sizes[i]
	}
	for i, d := range dirs {
		at := filepath.Join(k.in, d.Name())
		if total <= k.limit && len(dirs)-i <= maxKeepings {
			break
		}
		if at == k.dir || !d.IsDir() {
			continue
		}
		if err := os.RemoveAll(at); err != nil {
			return err
		}
		total -= sizes[i]
	}
	return nil
}

// maxKeepings is how many directories there may be in Keep: files that are empty cost too.
const maxKeepings = 1000

// safeName is a file name made of a path: a slash is a plus, and what may not be in a name
// everywhere is a percent sign with two digits.
func safeName(name string) string {
	var b strings.Builder
	for i := 0; i < len(name) && b.Len() < 180; i++ {
		switch c := name[i]; {
		case c == '/':
			b.WriteByte('+')
		case isKeyByte(c) || c == '.' || c == '_':
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
