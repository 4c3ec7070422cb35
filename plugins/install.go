package plugins

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Install puts a module into dir, which is made, for this user alone, if it is not
// there: m's Name, Commands and Built, the bytes of the module, and, if direct is not
// nil, those of what its Direct returns. One that is there of that name is replaced.
// Whoever calls In meanwhile finds the one or the other. Two who install a module at
// once leave one of both. The bytes are written before it returns, and not kept.
func Install(dir string, m Module, wasm, direct []byte) error {
	if m.Built == nil {
		return errors.New("plugins: Install: a module without Built")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	r := record{Built: *m.Built, Commands: m.Commands, Module: pieceOf(m.Name, wasm)}
	contents := map[string][]byte{r.Module.File: wasm}
	if direct != nil {
		p := pieceOf("direct", direct)
		r.Direct, contents[p.File] = &p, direct
	}
	if err := r.check(); err != nil {
		return fmt.Errorf("plugins: Install %s: %w", m.Name, err)
	}
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	old, _ := readRecord(dir, m.Name) // an error means that there is none
	for name, b := range contents {
		if err := replace(filepath.Join(dir, name), b); err != nil {
			return err
		}
	}
	if err := replace(filepath.Join(dir, m.Name+".json"), append(b, '\n')); err != nil {
		return err
	}
	return old.clean(dir, contents)
}

// Remove removes what is in dir of a module, if there is something.
func Remove(dir, name string) error {
	old, _ := readRecord(dir, name) // an error means that its files are not known
	err := os.Remove(filepath.Join(dir, name+".json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return errors.Join(err, old.clean(dir, nil))
}

// clean removes a record's files that are not among those that stay.
func (r *record) clean(dir string, stay map[string][]byte) (err error) {
	if r == nil {
		return nil
	}
	names := []string{r.Module.File}
	if r.Direct != nil {
		names = append(names, r.Direct.File)
	}
	for _, name := range names {
		if _, stays := stay[name]; stays {
			continue
		}
		if e := os.Remove(filepath.Join(dir, name)); e != nil && !errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}
	return err
}

// replace makes a file, or replaces it, for this user alone. It is on the disk, and
// whole, when it has its name.
func replace(file string, b []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(file), ".new-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), file)
}
