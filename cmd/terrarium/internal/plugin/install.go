package plugin

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/dirlock"
)

// Install puts a module into dir, which is made if it is not there, for this
// user alone. Whoever reads dir meanwhile finds it as it was before or as it is
// after. What was there of that name is replaced. The manifest gets the module's
// sum. files, if not empty, is a directory on the same file system that becomes
// m.Files. check, if not nil, is called when nobody else can change dir any longer:
// if it fails, nothing is changed.
func Install(dir string, m Manifest, wasm []byte, files string, check func() error) error {
	if err := CheckName(m.Name); err != nil {
		return fmt.Errorf("name %w", err)
	}
	if err := m.Check(); err != nil {
		return err
	}
	m.SHA256 = sumOf(wasm)
	manifest, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	stage, err := NewStage(dir) // what takes long is done aside
	if err != nil {
		return err
	}
	defer os.RemoveAll(stage)
	suffixes := []string{manifestSuffix, moduleSuffix}
	for i, b := range [][]byte{append(manifest, '\n'), wasm} {
		if err := write(filepath.Join(stage, m.Name+suffixes[i]), b); err != nil {
			return err
		}
	}
	// Of two who install it at once one comes after the other, or there would be
	// a manifest of the one with the other's module.
	unlock, err := dirlock.Lock(dir)
	if err != nil {
		return err
	}
	defer unlock()
	if check != nil {
		if err := check(); err != nil {
			return err
		}
	}
	// An error means that there is no other.
	old, _ := OpenAs(filepath.Join(dir, m.Name+moduleSuffix), "")
	if files != "" {
		// These are files of the same plugin, added before.
		os.Rename(filepath.Join(dir, m.Files), filepath.Join(stage, m.Files))
		if err := os.Rename(files, filepath.Join(dir, m.Files)); err != nil {
			return err
		}
	}
	for _, suffix := range suffixes { // a manifest without a module is nothing: so it comes first
		if err := os.Rename(filepath.Join(stage, m.Name+suffix), filepath.Join(dir, m.Name+suffix)); err != nil {
			return err
		}
	}
	if old.Files != "" && old.Files != m.Files {
		return os.RemoveAll(filepath.Join(dir, old.Files))
	}
	return nil
}

// write makes a file that is on the disk when it returns.
func write(file string, b []byte) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// stagePrefix begins the names of directories in a folder of plugins that are no
// part of it, and staleStage is when nobody uses one any longer.
const (
	stagePrefix = ".stage-"
	staleStage  = 24 * time.Hour
)

// NewStage makes a directory in a folder of plugins, for what is to become one.
// Whoever made it removes it. It removes those that others have left, who were
// killed.
func NewStage(dir string) (string, error) {
	old, _ := filepath.Glob(filepath.Join(dir, stagePrefix+"*")) // the pattern is good
	for _, stage := range old {
		if info, err := os.Lstat(stage); err == nil && time.Since(info.ModTime()) > staleStage {
			os.RemoveAll(stage)
		}
	}
	return os.MkdirTemp(dir, stagePrefix)
}

// Remove removes a plugin, its module first.
func Remove(p Plugin) error {
	unlock, err := dirlock.Lock(filepath.Dir(p.File))
	if err != nil {
		return err
	}
	defer unlock()
	if err := os.Remove(p.File); err != nil {
		return err
	}
	stem := p.File[:len(p.File)-len(moduleSuffix)]
	if err := os.Remove(stem + manifestSuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if p.Files == "" {
		return nil
	}
	return os.RemoveAll(filepath.Join(filepath.Dir(p.File), p.Files))
}
