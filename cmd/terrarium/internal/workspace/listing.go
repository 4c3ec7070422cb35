package workspace

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A Kind is what is at a path.
type Kind byte

const (
	None       Kind = 0 // nothing is
	File       Kind = 'f'
	Executable Kind = 'x' // a file that its owner may execute
	Link       Kind = 'l' // a symbolic link
	Dir        Kind = 'd' // only outside of git trees
)

// An Entry says what is at a path. Two that are equal have the same content. The zero value says
// that nothing is there.
type Entry struct {
	Kind   Kind
	Size   int64    // of a file, in bytes
	Sum    [32]byte // of a file: the SHA-256 of what is in it
	Target string   // of a symbolic link: what it says
}

// IsFile reports whether it is a regular file.
func (e Entry) IsFile() bool { return e.Kind == File || e.Kind == Executable }

// A Listing says what is in a directory, by slash-separated paths that CheckPath allows.
type Listing map[string]Entry

// Paths returns the paths in order.
func (l Listing) Paths() []string { return slices.Sorted(maps.Keys(l)) }

// Limits of what goes over, which hold for both directions.
const (
	MaxEntries = 200_000
	maxNames   = 32 << 20 // bytes of all paths, and of what symbolic links say
	maxDirs    = 500_000  // that paths lead through: each is looked at, by us and by git
	MaxBytes   = 16 << 30 // of all files, or of a bundle
)

// ErrTooMany is why a directory can't be a workspace.
var ErrTooMany = fmt.Errorf("more than %d files, %d directories, or %d MiB of names and of what symbolic links say",
	MaxEntries, maxDirs, maxNames>>20)

// counts bounds what comes: entries, bytes of names and targets, and the directories that paths
// lead through. It counts such a directory once where its paths come behind each other, as they do
// in order.
type counts struct {
	entries, names, dirs int

	last string // path
}

// add counts what is at a path. There may be more than one entry, of which each is kept.
func (c *counts) add(p string, is ...Entry) error {
	c.entries++
	c.names += len(p)
	for _, e := range is {
		c.names += len(e.Target)
	}
	c.dirs += strings.Count(p[commonDir(c.last, p):], "/")
	c.last = p
	if c.entries > MaxEntries || c.names > maxNames || c.dirs > maxDirs {
		return ErrTooMany
	}
	return nil
}

// commonDir returns how long the directory is, with its last slash, that two paths have in common.
func commonDir(a, b string) (n int) {
	for i := range min(len(a), len(b)) {
		switch {
		case a[i] != b[i]:
			return n
		case a[i] == '/':
			n = i + 1
		}
	}
	return n
}

// lastLine begins the last line of a listing and of paths, so that one that was cut short is
// noticed.
const lastLine = "end\t"

// Write writes the listing as lines: kind, size, sum or target, and path, with a tab between. The
// last line has how many there are.
func (l Listing) Write(w io.Writer) error {
	b := bufio.NewWriter(w)
	for _, p := range l.Paths() {
		fmt.Fprintf(b, "%s\t%s\n", l[p], p)
	}
	fmt.Fprintf(b, "%s%d\n", lastLine, len(l))
	return b.Flush()
}

// String returns the entry as a line of a listing has it, without the path; "-" for nothing.
func (e Entry) String() string {
	switch {
	case e.IsFile():
		return string(e.Kind) + "\t" + strconv.FormatInt(e.Size, 10) + "\t" + hex.EncodeToString(e.Sum[:])
	case e.Kind == Link:
		return string(e.Kind) + "\t0\t" + e.Target
	case e.Kind == Dir:
		return string(e.Kind) + "\t0\t-"
	}
	return "-"
}

// parseEntry reads what String returns.
func parseEntry(s string) (e Entry, err error) {
	if s == "-" {
		return Entry{}, nil
	}
	fields := strings.Split(s, "\t")
	if len(fields) != 3 || len(fields[0]) != 1 {
		return Entry{}, errors.New("not an entry")
	}
	e.Kind = Kind(fields[0][0])
	switch {
	case e.IsFile():
		size, err := strconv.ParseInt(fields[1], 10, 64)
		sum, sumErr := hex.DecodeString(fields[2])
		if err != nil || sumErr != nil || size < 0 || size > MaxBytes || len(sum) != len(e.Sum) {
			return Entry{}, errors.New("a file of an impossible size or sum")
		}
		e.Size, e.Sum = size, [32]byte(sum)
	case e.Kind == Link:
		e.Target = fields[2]
		return e, checkTargetText(e.Target)
	case e.Kind != Dir:
		return Entry{}, errors.New("an unknown kind of file")
	}
	return e, nil
}

// maxLine is longer than a line can be, in bytes.
const maxLine = 2*maxPath + 256

// readLines has line called for each line but the last, which says how many there are.
func readLines(r io.Reader, line func(string) error) error {
	s := bufio.NewScanner(r)
	s.Buffer(nil, maxLine)
	n := 0
	for s.Scan() {
		if count, ok := strings.CutPrefix(s.Text(), lastLine); ok {
			if count != strconv.Itoa(n) || s.Scan() {
				return errors.New("a list whose end is not where it says")
			}
			return s.Err()
		}
		if err := line(s.Text()); err != nil {
			return err
		}
		n++
	}
	if err := s.Err(); err != nil {
		return err
	}
	return errors.New("a list without an end")
}

// ReadListing reads what Write has written. It refuses what can't be in a workspace.
func ReadListing(r io.Reader) (Listing, error) {
	l := make(Listing)
	var c counts
	err := readLines(r, func(line string) error {
		i := strings.LastIndexByte(line, '\t')
		if i < 0 {
			return errors.New("a list with another form")
		}
		p := line[i+1:]
		e, err := parseEntry(line[:i])
		if err := errors.Join(c.add(p, e), CheckPath(p)); err != nil {
			return err
		}
		if err == nil && e.Kind == None {
			err = errors.New("nothing is there")
		}
		if _, twice := l[p]; twice && err == nil {
			err = errors.New("it is there twice")
		}
		if err != nil {
			return &PathError{p, err.Error()}
		}
		l[p] = e
		return nil
	})
	if err != nil {
		return nil, err
	}
	return l, nil
}

// WritePaths writes paths, which ReadPaths reads.
func WritePaths(w io.Writer, paths []string) error {
	b := bufio.NewWriter(w)
	for _, p := range paths {
		fmt.Fprintln(b, p)
	}
	fmt.Fprintf(b, "%s%d\n", lastLine, len(paths))
	return b.Flush()
}

// ReadPaths reads paths that may be in a workspace.
func ReadPaths(r io.Reader) (paths []string, err error) {
	var c counts
	err = readLines(r, func(p string) error {
		paths = append(paths, p)
		return errors.Join(c.add(p), CheckPath(p))
	})
	return paths, err
}
