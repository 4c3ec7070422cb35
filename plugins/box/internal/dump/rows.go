package dump

import (
	"bytes"
	"io"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// readAll reads count bytes of the inputs as one, from skip on; count is below 0 for all. status is
// 1 if an input could not be read, and opened says whether one could.
func readAll(env *tool.Env, files []string, skip, count int64) (r io.Reader, status int, opened bool, closeAll func()) {
	var readers []io.Reader
	var closers []io.Closer
	if len(files) == 0 {
		files = []string{"-"}
	}
	for _, name := range files {
		f, err := env.Input(name)
		if err == nil {
			if fi, e := env.StatInput(name); e == nil && fi.IsDir() {
				_, err = f.Read(make([]byte, 1))
			}
		}
		if err != nil {
			env.FileError(name, err)
			status = 1
			continue
		}
		opened = true
		readers = append(readers, f)
		closers = append(closers, f)
	}
	r = io.MultiReader(readers...)
	skipped, _ := io.CopyN(io.Discard, r, skip)
	if skipped < skip {
		status = -1
	}
	if count >= 0 {
		r = io.LimitReader(r, count)
	}
	return r, status, opened, func() {
		for _, c := range closers {
			c.Close()
		}
	}
}

// eachRow calls f with rows of width bytes; the last one may be shorter. Rows like the one before
// are reported with same set, unless all are wanted. It returns how many bytes there were.
func eachRow(env *tool.Env, r io.Reader, width int, all bool, f func(offset int64, row []byte, same bool)) int64 {
	row, last := make([]byte, width), make([]byte, width)
	var offset int64
	for !env.Stopped() {
		n, _ := io.ReadFull(r, row)
		if n == 0 {
			break
		}
		f(offset, row[:n], !all && offset > 0 && n == width && bytes.Equal(row, last))
		offset += int64(n)
		row, last = last, row
		if n < width {
			break
		}
	}
	return offset
}

// ascii replaces what is not printable by dots.
func ascii(p []byte) string {
	var b strings.Builder
	for _, c := range p {
		if c < ' ' || c > '~' {
			c = '.'
		}
		b.WriteByte(c)
	}
	return b.String()
}
