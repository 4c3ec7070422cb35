package plugins

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"
)

// A Built says what a module in a folder was made of.
type Built struct {
	// Version is this module's, of which the source was: "v1.2.3", or Devel.
	Version string `json:"version"`
	// Source is what it was built from, for people: a module with its version, or a
	// directory; or the file that it was.
	Source string `json:"source"`
	// Sum is that of the source as go.sum has it, where it was a release.
	Sum string `json:"sum,omitempty"`
	// Go is the release of Go that built it, "go1.26.1", or empty.
	Go string `json:"go,omitempty"`
	// File and Size are the module's path, and how many bytes it has.
	File string `json:"-"`
	Size int64  `json:"-"`
}

// A record is the file NAME.json, by which a folder has the module NAME. It is written
// last, by one rename: so a folder has a module as it was or as it is, and never a part.
type record struct {
	Built
	Commands []string `json:"commands"`
	Module   piece    `json:"module"`
	Direct   *piece   `json:"direct,omitempty"`
}

// A piece is a file of a folder, which no other has the name of.
type piece struct {
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
}

// A folder is one file of a folder, or why it can't be had.
type folder struct {
	dir    string
	record *record
	piece  piece
	err    error
}

// What a folder may have.
const (
	maxRecord   = 64 << 10  // bytes
	maxModule   = 128 << 20 // bytes, as hostwasm's limits have it
	maxCommands = 1000
	maxText     = 4096 // bytes of a version, say
)

// In returns the modules of this program, and of those that it was built without those
// that Build or Install has put into dir. What is part of the program wins: that is made
// for it. For the same reason one in dir is only taken where it is of this program's
// version. Of one that can't be taken, Missing says why. Nothing is kept open.
func In(dir string) []Module {
	modules := Modules()
	for i, m := range modules {
		if m.Missing() == nil {
			continue
		}
		r, err := readRecord(dir, m.Name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err == nil && r.Version != Version():
			err = &MissingError{m.Name, fmt.Sprintf("the one that was added is of version %s, and this program of %s", r.Version, Version())}
		case err != nil:
			err = &MissingError{m.Name, err.Error()}
		}
		modules[i].folder = &folder{dir: dir, err: err}
		if err == nil {
			modules[i].Commands, modules[i].Built = r.Commands, &r.Built
			modules[i].folder = &folder{dir: dir, record: r, piece: r.Module}
		}
	}
	return modules
}

// Outdated returns what is known of a module in dir that is of another version than
// this program. ok is false if there is none.
func Outdated(dir, name string) (b Built, ok bool) {
	r, err := readRecord(dir, name)
	if err != nil || r.Version == Version() {
		return Built{}, false
	}
	return r.Built, true
}

// direct returns the file of the small module, or nil.
func (f *folder) direct() *folder {
	if f.record.Direct == nil {
		return nil
	}
	return &folder{dir: f.dir, record: f.record, piece: *f.record.Direct}
}

// load returns the file's bytes, if they are those that were put there.
func (f *folder) load() ([]byte, error) {
	if f.err != nil {
		return nil, f.err
	}
	file := filepath.Join(f.dir, f.piece.File)
	b, err := readBounded(file, maxModule)
	if err == nil && !strings.EqualFold(sumOf(b), f.piece.SHA256) {
		err = &fs.PathError{Op: "read", Path: file, Err: errors.New("not the module that was put there")}
	}
	return b, err
}

// readRecord reads what dir says of a module, and bounds it: it may be anything.
func readRecord(dir, name string) (*record, error) {
	file := filepath.Join(dir, name+".json")
	b, err := readBounded(file, maxRecord)
	if err != nil {
		return nil, err
	}
	var r record
	if err := json.Unmarshal(b, &r); err != nil {
		return nil, fmt.Errorf("%s is no record of a module", file)
	}
	if err := r.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	r.File = filepath.Join(dir, r.Module.File)
	info, err := os.Stat(r.File)
	if err != nil {
		return nil, fmt.Errorf("%s is gone", r.File) // which is not that there is no record
	}
	r.Size = info.Size()
	return &r, nil
}

var (
	commandName = regexp.MustCompile(`^[A-Za-z0-9._+\[-]{1,64}$`)
	pieceName   = regexp.MustCompile(`^[a-z]{1,16}-[0-9a-f]{12}\.wasm$`)
)

// check says what is out of bounds.
func (r *record) check() error {
	for _, text := range []string{r.Version, r.Source, r.Sum, r.Go} {
		if len(text) > maxText || strings.ContainsFunc(text, func(c rune) bool { return !unicode.IsPrint(c) }) {
			return errors.New("a text that can't be shown")
		}
	}
	if len(r.Commands) == 0 || len(r.Commands) > maxCommands {
		return fmt.Errorf("%d commands: want 1 to %d", len(r.Commands), maxCommands)
	}
	for _, name := range r.Commands {
		if !commandName.MatchString(name) || strings.Trim(name, ".") == "" {
			return fmt.Errorf("%.100q is no name of a command", name)
		}
	}
	pieces := []piece{r.Module}
	if r.Direct != nil {
		pieces = append(pieces, *r.Direct)
	}
	for _, p := range pieces {
		if sum, err := hex.DecodeString(p.SHA256); err != nil || len(sum) != sha256.Size || !pieceName.MatchString(p.File) {
			return fmt.Errorf("no name and sum of a module: %.100q", p.File)
		}
	}
	return nil
}

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

func pieceOf(name string, b []byte) piece {
	sum := sumOf(b)
	return piece{File: name + "-" + sum[:12] + ".wasm", SHA256: sum}
}

func sumOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
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

// readBounded reads a regular file of at most limit bytes.
func readBounded(file string, limit int64) ([]byte, error) {
	info, err := os.Stat(file) // first: to open a FIFO would wait for a writer
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "read", Path: file, Err: errors.New("not a regular file")}
	}
	if err != nil {
		return nil, err
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(b)) > limit {
		err = &fs.PathError{Op: "read", Path: file, Err: fmt.Errorf("more than %d bytes", limit)}
	}
	return b, err
}
