package archive

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"time"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// maxDirectory is how much of a zip file may be its list of members, in bytes: enough for a hundred
// thousand. The list is in memory while the file is open.
const maxDirectory = 16 << 20

var errManyMembers = errors.New("more members than are read in this sandbox")

// A zipFile is a zip archive that is read.
type zipFile struct {
	*zip.Reader
	file *os.File
	name string
	size int64
}

// openZip opens the archive of a name, to which .zip may be added. What it returns of a file that
// is no archive is zip.ErrFormat.
func openZip(env *tool.Env, name string) (*zipFile, error) {
	var err error
	for _, suffix := range []string{"", ".zip", ".ZIP"} {
		var f *os.File
		if f, err = openRegular(env.Path(name + suffix)); err == nil {
			return readZip(f, name+suffix)
		}
	}
	return nil, err
}

func openRegular(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if fi, err := f.Stat(); err != nil || !fi.Mode().IsRegular() {
		f.Close()
		return nil, os.ErrNotExist
	}
	return f, nil
}

func readZip(f *os.File, name string) (*zipFile, error) {
	fi, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	limited := &limitedReaderAt{r: f, left: maxDirectory}
	r, err := zip.NewReader(limited, fi.Size())
	if limited.left < 0 {
		err = errManyMembers
	}
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		f.Close()
		return &zipFile{name: name}, err
	}
	limited.left = -1
	limited.open = true
	return &zipFile{r, f, name, fi.Size()}, nil
}

func (z *zipFile) close() { z.file.Close() }

// limitedReaderAt reads at most left bytes of r, until it is open.
type limitedReaderAt struct {
	r    io.ReaderAt
	left int64
	open bool
}

func (l *limitedReaderAt) ReadAt(p []byte, off int64) (int, error) {
	if !l.open {
		if l.left -= int64(len(p)); l.left < 0 {
			return 0, errManyMembers
		}
	}
	return l.r.ReadAt(p, off)
}

// modified returns a member's time. Old archives have the clock's, without a zone.
func modified(h *zip.FileHeader, zone *time.Location) time.Time {
	if hasStamp(h.Extra) {
		return h.Modified.In(zone)
	}
	t := h.Modified
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, zone)
}

// hasStamp reports whether the extra fields have a time of Unix or NTFS.
func hasStamp(extra []byte) bool {
	for len(extra) >= 4 {
		id, size := uint16(extra[0])|uint16(extra[1])<<8, int(extra[2])|int(extra[3])<<8
		if size > len(extra)-4 {
			return false
		}
		switch id {
		case 0x5455, 0x000a, 0x000d, 0x5855:
			return true
		}
		extra = extra[4+size:]
	}
	return false
}

// safeZipName takes off what would lead a name out of its directory, and says what that was.
func safeZipName(name string) (safe, warning string) {
	name = strings.ReplaceAll(name, "\x00", "")
	plain := strings.TrimLeft(name, "/")
	if plain != name {
		warning = "warning:  stripped absolute path spec from " + name
	}
	var kept []string
	for part := range strings.SplitSeq(plain, "/") {
		switch part {
		case "..":
			warning = "warning:  skipped \"../\" path component(s) in " + name
		case ".", "":
		default:
			kept = append(kept, part)
		}
	}
	return strings.Join(kept, "/"), warning
}

// method names a member's compression as unzip -v does.
func methodName(h *zip.FileHeader) string {
	switch h.Method {
	case zip.Store:
		return "Stored"
	case zip.Deflate:
		return "Defl:" + string("NXFS"[h.Flags>>1&3])
	case 12:
		return "BZip2"
	case 14:
		return "LZMA"
	}
	return "Unk:" + strings.TrimPrefix(string('0'+rune(h.Method/100%10))+string('0'+rune(h.Method/10%10))+string('0'+rune(h.Method%10)), "0")
}

// share is how much smaller a member is, in percent.
func share(size, packed uint64) int {
	if size == 0 {
		return 0
	}
	for size > 1<<40 {
		size, packed = size>>8, packed>>8
	}
	// Rounded as zip and unzip do, to the nearest.
	n := (int64(size)-int64(packed))*200/int64(size) + 1
	if n < 0 {
		return -int((-n + 2) / 2)
	}
	return int(n / 2)
}

// comment is what -z shows, with its newline.
func comment(z *zipFile) string {
	if z.Comment == "" {
		return ""
	}
	return strings.TrimRight(strings.ReplaceAll(z.Comment, "\r\n", "\n"), "\n") + "\n"
}

// readSmall reads what can't be long, such as where a link points.
func readSmall(r io.Reader) (string, error) {
	var b bytes.Buffer
	if _, err := io.Copy(&b, io.LimitReader(r, 1<<14)); err != nil {
		return "", err
	}
	return b.String(), nil
}
