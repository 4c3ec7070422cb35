package plugin

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Install puts a module into dir, which is made if it is not there, for this
// user alone. Whoever reads dir meanwhile finds it as it was before or as it is
// after. What was there of that name is replaced. The manifest gets the module's
// sum.
func Install(dir string, m Manifest, wasm []byte) error {
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
	base := filepath.Join(dir, m.Name)
	// A manifest without a module is nothing: so it comes first.
	if err := write(base+manifestSuffix, append(manifest, '\n')); err != nil {
		return err
	}
	return write(base+moduleSuffix, wasm)
}

// write makes a file or replaces it, all at once.
func write(file string, b []byte) error {
	f, err := os.CreateTemp(filepath.Dir(file), ".*.tmp")
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// Remove removes a plugin, its module first.
func Remove(p Plugin) error {
	if err := os.Remove(p.File); err != nil {
		return err
	}
	stem := p.File[:len(p.File)-len(moduleSuffix)]
	if err := os.Remove(stem + manifestSuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
