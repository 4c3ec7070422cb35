package fetch

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/plugin"
)

// What an archive may hold.
const (
	maxMembers  = 100_000
	maxUnpacked = 2 << 30 // bytes
)

// Unpack returns the file called name in an archive: a tar, packed by gzip. The
// other files in it are passed over, and nothing is written anywhere.
func Unpack(r io.Reader, name string) ([]byte, error) {
	file, size, err := find(r, name)
	if err != nil {
		return nil, err
	}
	if size > plugin.MaxModule {
		return nil, fmt.Errorf("%s in the archive has %d bytes: at most %d are allowed", plugin.Printable(name), size, plugin.MaxModule)
	}
	return io.ReadAll(file)
}

// find returns the file called name in an archive, and its size in bytes.
func find(r io.Reader, name string) (io.Reader, int64, error) {
	packed, err := gzip.NewReader(r)
	if err != nil {
		return nil, 0, fmt.Errorf("not an archive: %w", err)
	}
	archive := tar.NewReader(&io.LimitedReader{R: packed, N: maxUnpacked})
	for range maxMembers {
		member, err := archive.Next()
		switch {
		case err == io.EOF:
			return nil, 0, fmt.Errorf("no file %s in the archive", plugin.Printable(name))
		case err != nil:
			return nil, 0, fmt.Errorf("not an archive: %w", err)
		case member.Name != name:
			continue
		case member.Typeflag != tar.TypeReg:
			return nil, 0, fmt.Errorf("%s in the archive is no regular file", plugin.Printable(name))
		}
		return archive, member.Size, nil
	}
	return nil, 0, errors.New("too many files in the archive")
}
