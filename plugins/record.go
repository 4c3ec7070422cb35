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
	"sync"
	"unicode"
)

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

// What a folder may have.
const (
	maxRecord   = 64 << 10  // bytes
	maxModule   = 128 << 20 // bytes, as hostwasm's limits have it
	maxCommands = 1000
	maxText     = 4096 // bytes of a version, say
)

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
	commandName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9._+\[-]{1,64}$`) })
	pieceName   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z]{1,16}-[0-9a-f]{12}\.wasm$`) })
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
		if !commandName().MatchString(name) || strings.Trim(name, ".") == "" {
			return fmt.Errorf("%.100q is no name of a command", name)
		}
	}
	pieces := []piece{r.Module}
	if r.Direct != nil {
		pieces = append(pieces, *r.Direct)
	}
	for _, p := range pieces {
		if sum, err := hex.DecodeString(p.SHA256); err != nil || len(sum) != sha256.Size || !pieceName().MatchString(p.File) {
			return fmt.Errorf("no name and sum of a module: %.100q", p.File)
		}
	}
	return nil
}

func pieceOf(name string, b []byte) piece {
	sum := sumOf(b)
	return piece{File: name + "-" + sum[:12] + ".wasm", SHA256: sum}
}

func sumOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
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
