package conform

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// CheckFile reports what is wrong with the name of a report, whose ending says what it holds, and
// whose directory must be there: who has waited for a report wants to have it.
func CheckFile(name string) error {
	switch filepath.Ext(name) {
	case ".json", ".md", ".txt":
	default:
		return errors.New("want a name that ends in .json, .md or .txt")
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return errors.New("it is a directory")
	}
	info, err := os.Stat(filepath.Dir(name))
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s: %w", e.Path, e.Err)
	}
	if !info.IsDir() {
		return fmt.Errorf("%s: not a directory", filepath.Dir(name))
	}
	return nil
}

// WriteFile writes the report to a file, in the form that the end of its name asks
// for. The file is there whole or not at all, and only its owner may read it. A
// symbolic link of that name is replaced, and not followed.
func (r *Report) WriteFile(name string) error {
	data := []byte(r.String())
	var err error
	switch filepath.Ext(name) {
	case ".json":
		data, err = r.JSON()
	case ".md":
		data = r.Markdown()
	}
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".report-*.tmp") // 0600, and never what was there
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
