package compress

import (
	"errors"
	"io"
	"os"
	"syscall"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/sys"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// copyTo copies r to w, and marks the errors of w.
func copyTo(w io.Writer, r io.Reader) (int64, error) {
	return io.Copy(tool.MarkWrites(w), onlyReader{r})
}

// onlyReader hides WriteTo, which would write behind the back of the marks.
type onlyReader struct{ io.Reader }

// compressTo writes r in format f to w.
func compressTo(w io.Writer, r io.Reader, f Format, level int) error {
	z, err := NewWriter(f, tool.MarkWrites(w), level)
	if err != nil {
		return err
	}
	if _, err := copyTo(z, r); err != nil {
		return err
	}
	return z.Close()
}

// newFile makes the file name with what write writes, which gets the permissions and the time of
// like. A file that could not be written whole is removed. An old one is replaced only with force.
func newFile(env *tool.Env, name string, like os.FileInfo, force bool, write func(w io.Writer) error) error {
	path := env.Path(name)
	if fi, err := os.Lstat(path); err == nil && force && !fi.IsDir() {
		os.Remove(path)
	}
	f, err := env.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return tool.WriteError{Err: err}
	}
	err = write(f)
	if closing := f.Close(); err == nil && closing != nil {
		err = tool.WriteError{Err: closing}
	}
	if err != nil && !errors.Is(err, ErrTrailing) {
		os.Remove(path)
		return err
	}
	env.Chmod(name, sys.Of(like).Mode&0o777)
	os.Chtimes(path, like.ModTime(), like.ModTime())
	return err
}

// gone reports whether nobody reads the output any more, which is not to be told.
func gone(env *tool.Env, err error) bool {
	return env.Stopped() || errors.Is(err, syscall.EPIPE)
}

// eachInput calls file for each operand, and stream for "-", or if there are none.
func eachInput(env *tool.Env, operands []string, stream func(), file func(name string)) {
	if len(operands) == 0 {
		stream()
	}
	for _, name := range operands {
		switch {
		case env.Stopped():
			return
		case name == "-":
			stream()
		default:
			file(name)
		}
	}
}
