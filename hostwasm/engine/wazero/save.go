package wazero

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tetratelabs/wazero/experimental"

	"github.com/terrarium-dev/terrarium/hostwasm/engine"
)

// A program that was compiled is kept as three files: the code as wazero keeps
// it, the module without code, and what its memory begins with.
// wazero checks the module each time it loads the code, and finds the code by
// the module's sum; checking the one without takes next to no time, and we have
// the code be found by its sum.
const (
	skeletonFile = "skeleton.wasm"
	dataFile     = "data"
)

// save completes what wazero has written to dir for a module and its data.
func (e *Engine) save(wasm, data []byte, dir string) error {
	code, err := onlyFile(dir)
	if err != nil {
		return err
	}
	bones, err := skeleton(wasm)
	if err != nil {
		return err
	}
	// Where wazero looks for the skeleton's code it tells by putting some there.
	other, err := os.MkdirTemp(dir, "")
	if err != nil {
		return err
	}
	defer os.RemoveAll(other)
	p, err := e.compile(context.Background(), bones, other)
	if err != nil {
		return err
	}
	p.Close()
	name, err := onlyFile(other)
	if err != nil {
		return err
	}
	if err := os.Rename(code, filepath.Join(filepath.Dir(code), filepath.Base(name))); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, dataFile), data, 0o600); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, skeletonFile), bones, 0o600)
}

// onlyFile returns the one file that wazero has written below dir, in a
// directory that it names after itself.
func onlyFile(dir string) (string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err == nil && len(files) != 1 {
		err = fmt.Errorf("wazero has written %d files", len(files))
	}
	if err != nil {
		return "", err
	}
	return files[0], nil
}

// Load implements engine.Engine.
func (e *Engine) Load(ctx context.Context, dir string, find func(engine.Import) (engine.Func, error)) (engine.Program, error) {
	bones, err := os.ReadFile(filepath.Join(dir, skeletonFile))
	if err != nil {
		return nil, err
	}
	// Where the code is not found the skeleton itself must not become the
	// program: to compile it is canceled from the start, which wazero minds if
	// it has several workers.
	canceled, cancel := context.WithCancel(experimental.WithCompilationWorkers(ctx, 2))
	cancel()
	p, err := e.compile(canceled, bones, dir)
	if errors.Is(err, context.Canceled) {
		return nil, errors.New("there is no code for the module")
	}
	if err != nil {
		return nil, err
	}
	if p.image, err = openImage(filepath.Join(dir, dataFile)); err == nil {
		err = p.link(ctx, find)
	}
	if err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}
