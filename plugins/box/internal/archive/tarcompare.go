package archive

import (
	"archive/tar"
	"bytes"
	"io"
	"os"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/sys"
)

// compare tells how a member differs from the file of its name.
func (j *job) compare(h *tar.Header, in *input) error {
	if j.verbose > 0 {
		j.show(h, h.Name)
	}
	place := join(j.dir, j.safeName(h.Name, false))
	fi, err := j.env.Lstat(place)
	if err != nil {
		j.env.Errorf("%s: Warning: Cannot stat: %s", quoted(h.Name), strerror(err))
		j.status = tarDiffers
		return nil
	}
	info := sys.Of(fi)
	differs := func(what string) {
		j.env.Out.WriteString(quoted(h.Name) + ": " + what + "\n")
		j.status = tarDiffers
	}
	switch h.Typeflag {
	case tar.TypeDir:
		if !info.IsDir() {
			differs("File type differs")
		}
		return nil
	case tar.TypeSymlink:
		if target, err := os.Readlink(j.env.Path(place)); err != nil || target != h.Linkname {
			differs("Symlink differs")
		}
		return nil
	case tar.TypeLink:
		first, err := j.env.Lstat(join(j.dir, h.Linkname))
		if err != nil || !sys.Same(info, sys.Of(first)) {
			differs("Not linked to " + quoted(h.Linkname))
		}
		return nil
	}
	if !info.IsRegular() {
		differs("File type differs")
		return nil
	}
	if info.Mode&0o7777 != uint32(h.Mode)&0o7777 {
		differs("Mode differs")
	}
	if info.Mtime.Unix() != h.ModTime.Unix() {
		differs("Mod time differs")
	}
	if info.Size != h.Size {
		differs("Size differs")
		return nil
	}
	f, err := j.env.Open(place)
	if err != nil {
		j.errorf("%s: Cannot open: %s", quoted(h.Name), strerror(err))
		return nil
	}
	defer f.Close()
	same, err := equal(in.tar, f)
	if err != nil {
		return in.cut(err)
	}
	if !same {
		differs("Contents differ")
	}
	return nil
}

// equal compares a with b, which is as long. The error is a's.
func equal(a, b io.Reader) (bool, error) {
	p, q := make([]byte, 32<<10), make([]byte, 32<<10)
	for {
		n, err := io.ReadFull(a, p)
		m, _ := io.ReadFull(b, q[:n])
		if !bytes.Equal(p[:n], q[:m]) {
			return false, nil
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return true, nil
		}
		if err != nil {
			return false, err
		}
	}
}
