package sed

import (
	"bufio"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/sys"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// inPlace replaces each input file by what is written while it is read.
type inPlace struct {
	env    *tool.Env
	suffix string
	name   string
	temp   string
	mode   uint32
	out    *output
}

// begin makes a new file beside the one to edit.
func (e *inPlace) begin(name string) (*output, error) {
	fi, err := e.env.Stat(name)
	if err == nil && name == "-" {
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, &fileError{"couldn't edit " + name, err}
	}
	if !fi.Mode().IsRegular() {
		return nil, editError(name)
	}
	e.name, e.mode = name, sys.Of(fi).Mode&0o7777
	for i := 0; ; i++ {
		e.temp = path.Join(path.Dir(name), "sed"+strconv.Itoa(i)+".tmp")
		f, err := e.env.Create(e.temp, os.O_EXCL)
		if err == nil {
			e.out = &output{Writer: bufio.NewWriter(f), file: f}
			return e.out, nil
		}
		if !os.IsExist(err) || i > 10_000 {
			return nil, &fileError{"couldn't open temporary file " + e.temp, err}
		}
	}
}

// An editError says that a file can't be edited in place.
type editError string

func (e editError) Error() string { return "couldn't edit " + string(e) + ": not a regular file" }

// end puts the new file in the place of the old one.
func (e *inPlace) end() error {
	err := e.out.Flush()
	if e := e.out.file.Close(); err == nil {
		err = e
	}
	if err != nil {
		e.env.Remove(e.temp)
		return &fileError{"couldn't write to " + e.temp, err}
	}
	e.env.Chmod(e.temp, e.mode) // fails where files have no modes
	if e.suffix != "" {
		if err := e.env.Rename(e.name, e.backup()); err != nil {
			return &fileError{"cannot rename " + e.name, err}
		}
	}
	if err := e.env.Rename(e.temp, e.name); err != nil {
		return &fileError{"cannot rename " + e.temp, err}
	}
	return nil
}

// backup returns the name that the old file keeps: a suffix, or a pattern where * is the file's
// name.
func (e *inPlace) backup() string {
	dir, base := path.Split(e.name)
	if !strings.Contains(e.suffix, "*") {
		return dir + base + e.suffix
	}
	name := strings.ReplaceAll(e.suffix, "*", base)
	if strings.Contains(name, "/") {
		return name
	}
	return dir + name
}
