package workspace

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
)

// A Skipped is a file that stays where it is, since it can't be carried.
type Skipped struct{ Path, Why string }

// A Scan says what is in a directory.
type Scan struct {
	Listing Listing
	Skipped []Skipped
	// Blobs has files that are blobs of git, by their paths: their objects' ids in hex.
	Blobs map[string]string
}

// ownRepository is why a directory is not carried.
const ownRepository = "a repository of its own"

// ScanNames looks at the files of those names. blobs are ids of git's objects that some of them may
// be. A name that ends with "/" is a repository of its own, if a directory is there. A name at
// which nothing is left is passed over, as is one behind a symbolic link, and a directory: what git
// knows of it has names of its own.
func ScanNames(root *os.Root, names []string, blobs map[string]string) (*Scan, error) {
	return scanNames(root, names, blobs, false)
}

// scanNames is ScanNames. A directory is passed over unless dirs says that it is asked for.
func scanNames(root *os.Root, names []string, blobs map[string]string, dirs bool) (*Scan, error) {
	s := &scanner{root: root, scan: Scan{Listing: make(Listing), Blobs: make(map[string]string)}}
	links := NewLinks(root)
	for _, name := range names {
		name, own := strings.CutSuffix(name, "/")
		// A repository's index may have been written by hand.
		if why := wrongPath(name); why != "" {
			if err := s.skip(name, why); err != nil {
				return nil, err
			}
			continue
		}
		if links.Before(name) != "" {
			continue
		}
		info, err := root.Lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
			continue
		case err != nil:
			return nil, err
		case own && info.IsDir():
			if err := s.skip(name, ownRepository); err != nil {
				return nil, err
			}
			continue
		case own, info.IsDir() && !dirs:
			continue
		}
		if err := s.add(name, info, blobs[name]); err != nil {
			return nil, err
		}
	}
	return &s.scan, nil
}

// ScanAll looks at all that is in a directory, but for what is git's.
func ScanAll(root *os.Root) (*Scan, error) {
	s := &scanner{root: root, scan: Scan{Listing: make(Listing)}}
	err := walk(root, ".", func(name string, d fs.DirEntry) error {
		info, err := root.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // somebody has just removed it
		}
		if err != nil {
			return err
		}
		if why := wrongPath(name); why != "" {
			if !strings.HasPrefix(d.Name(), stagePrefix) {
				err = s.skip(name, why)
			}
			if err == nil && d.IsDir() {
				err = fs.SkipDir
			}
			return err
		}
		return s.add(name, info, "")
	})
	slices.SortFunc(s.scan.Skipped, func(a, b Skipped) int { return strings.Compare(a.Path, b.Path) })
	return &s.scan, err
}

type scanner struct {
	root   *os.Root
	scan   Scan
	counts counts
	bytes  int64 // of the files that were looked at by now
}

// unknown is why a file is not carried.
const unknown = "no file, directory or symbolic link"

// isKnown reports whether a file is of a kind that is carried.
func isKnown(mode fs.FileMode) bool {
	return mode.IsRegular() || mode.IsDir() || mode.Type() == fs.ModeSymlink
}

func (s *scanner) skip(name, why string) error {
	s.scan.Skipped = append(s.scan.Skipped, Skipped{name, why})
	return s.counts.add(name)
}

func (s *scanner) add(name string, info fs.FileInfo, blob string) error {
	if !isKnown(info.Mode()) {
		return s.skip(name, unknown)
	}
	// Before it is read: of files with holes somebody may have made any number.
	if info.Mode().IsRegular() {
		if s.bytes += info.Size(); s.bytes > MaxBytes {
			return &PathError{name, fmt.Sprintf("more than %d GiB of files, of which this is the last", MaxBytes>>30)}
		}
	}
	e, id, err := look(s.root, name, info, len(blob))
	if err := s.counts.add(name, e); err != nil {
		return err
	}
	if errors.Is(err, errTarget) {
		return s.skip(name, err.Error())
	}
	if err != nil {
		return err
	}
	s.scan.Listing[name] = e
	if id != "" && id == blob {
		s.scan.Blobs[name] = id
	}
	return nil
}

// errTarget is why a symbolic link is not carried.
var errTarget = errors.New("a symbolic link that says no text, or too much")

// look returns what is at a path where info is. With idSize it also returns the id that git gives
// the file, which has so many digits.
func look(root *os.Root, name string, info fs.FileInfo, idSize int) (e Entry, id string, err error) {
	switch {
	case info.IsDir():
		return Entry{Kind: Dir}, "", nil
	case info.Mode().Type() == fs.ModeSymlink:
		target, err := root.Readlink(name)
		if err == nil && checkTargetText(target) != nil {
			err = errTarget
		}
		return Entry{Kind: Link, Target: target}, "", err
	}
	f, err := openFile(root, name)
	if err != nil {
		return Entry{}, "", err
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return Entry{}, "", err
	}
	e = Entry{Kind: File, Size: info.Size()}
	if info.Mode()&0o100 != 0 {
		e.Kind = Executable
	}
	if e.Size > MaxBytes {
		return Entry{}, "", &PathError{name, fmt.Sprintf("more than %d GiB", MaxBytes>>30)}
	}
	sum, blob := sha256.New(), newBlob(idSize)
	if blob != nil {
		fmt.Fprintf(blob, "blob %d\x00", e.Size)
	}
	n, err := io.Copy(io.MultiWriter(sum, orDiscard(blob)), io.LimitReader(f, e.Size+1))
	switch {
	case err != nil:
		return Entry{}, "", err
	case n != e.Size:
		return Entry{}, "", &PathError{name, "it is just being written"}
	}
	sum.Sum(e.Sum[:0])
	if blob != nil {
		id = hex.EncodeToString(blob.Sum(nil))
	}
	return e, id, nil
}

// newBlob returns the hash that git has for objects whose ids have so many digits, or nil.
func newBlob(digits int) hash.Hash {
	switch digits {
	case 2 * sha1.Size:
		return sha1.New()
	case 2 * sha256.Size:
		return sha256.New()
	}
	return nil
}

func orDiscard(h hash.Hash) io.Writer {
	if h == nil {
		return io.Discard
	}
	return h
}

// openFile opens a regular file for reading. It waits for nobody, as an opener of a pipe would.
func openFile(root *os.Root, name string) (*os.File, error) {
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, &PathError{name, "it is no regular file"}
	}
	return f, nil
}

// lookAt returns what is at a path, and its FileInfo, which is nil if nothing is.
func lookAt(root *os.Root, name string) (Entry, fs.FileInfo, error) {
	info, err := root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return Entry{}, nil, nil
	}
	if err != nil {
		return Entry{}, nil, err
	}
	if !isKnown(info.Mode()) {
		return Entry{}, nil, &PathError{name, unknown}
	}
	e, _, err := look(root, name, info, 0)
	return e, info, err
}
