package plugin

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Plugin is a module in a folder.
type Plugin struct {
	Manifest        // Name is set
	File     string // its path
	Size     int64  // in bytes
}

const (
	moduleSuffix   = ".wasm"
	manifestSuffix = ".json"
)

// Read returns the plugins in dir by name, and what is wrong with those that
// are left out.
func Read(dir string) (plugins []Plugin, bad []error, err error) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil, err
	}
	names := make(map[string]bool)
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), moduleSuffix) || strings.HasPrefix(f.Name(), ".") {
			continue
		}
		p, err := Open(filepath.Join(dir, f.Name()))
		if err == nil && names[p.Name] {
			err = fmt.Errorf("%s: another plugin here is called %s", Printable(p.File), p.Name)
		}
		if err != nil {
			bad = append(bad, err)
			continue
		}
		names[p.Name] = true
		plugins = append(plugins, p)
	}
	slices.SortFunc(plugins, func(a, b Plugin) int { return strings.Compare(a.Name, b.Name) })
	return plugins, bad, nil
}

// Open returns the plugin whose module is file, with the manifest beside it.
// Of the module it reads the beginning only.
func Open(file string) (Plugin, error) { return OpenAs(file, "") }

// OpenAs is Open for a plugin that is called name, unless that is empty.
func OpenAs(file, name string) (p Plugin, err error) {
	p = Plugin{File: file}
	stem := strings.TrimSuffix(file, moduleSuffix)
	if p.Size, err = checkModule(file); err != nil {
		return p, err
	}
	b, err := readFile(stem+manifestSuffix, maxManifest)
	if err == nil {
		p.Manifest, err = parse(b)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return p, named(stem+manifestSuffix, err)
	}
	p.Name = cmp.Or(name, p.Name, filepath.Base(stem))
	if err := CheckName(p.Name); err != nil {
		return p, fmt.Errorf("%s: name %w", Printable(file), err)
	}
	return p, nil
}

// MaxModule is the largest module, in bytes, as hostwasm's limits have it.
const MaxModule = 128 << 20

// Module returns the bytes of a module.
func Module(file string) ([]byte, error) {
	b, err := readFile(file, MaxModule)
	if err != nil {
		return nil, named(file, err)
	}
	return b, nil
}

// Module returns the bytes of the plugin's module. If they are not those that were
// added, the error says how to accept them.
func (p *Plugin) Module() ([]byte, error) {
	b, err := Module(p.File)
	if err == nil && p.SHA256 != "" && !strings.EqualFold(sumOf(b), p.SHA256) {
		return nil, named(p.File, fmt.Errorf("not the module that was added as %s: to accept it, add it again: terrarium plugins add --force FILE", p.Name))
	}
	return b, err
}

func sumOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// magic begins every module of WebAssembly, version 1.
const magic = "\x00asm\x01\x00\x00\x00"

// checkModule returns the size of what can be a module.
func checkModule(file string) (size int64, err error) {
	f, info, err := open(file, MaxModule)
	if err != nil {
		return 0, named(file, err)
	}
	defer f.Close()
	var head [len(magic)]byte
	if n, _ := io.ReadFull(f, head[:]); string(head[:n]) != magic {
		return 0, named(file, errors.New("not a WebAssembly module"))
	}
	return info.Size(), nil
}

// open opens a regular file that has at most limit bytes.
func open(file string, limit int64) (*os.File, fs.FileInfo, error) {
	info, err := os.Stat(file) // first: to open a FIFO would wait for a writer
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("not a regular file")
	}
	if err == nil && info.Size() > limit {
		err = fmt.Errorf("a file of %d bytes: at most %d are allowed", info.Size(), limit)
	}
	if err != nil {
		return nil, nil, err
	}
	f, err := os.Open(file)
	return f, info, err
}

func readFile(file string, limit int64) ([]byte, error) {
	f, _, err := open(file, limit)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(b)) > limit {
		err = fmt.Errorf("more than %d bytes", limit)
	}
	return b, err
}

// named returns err with the file it is about, in one line.
func named(file string, err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = path.Err
	}
	return fmt.Errorf("%s: %w", Printable(file), err)
}
