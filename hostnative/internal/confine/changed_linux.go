//go:build amd64 || arm64

package confine

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// Changed reports whether the rules r, which the report is of, would grant something else now of
// what they grant entry by entry: what has come there since, for one. Whoever starts commands
// starts another keeper then. It is not safe for concurrent use.
//
// Where nothing has come or gone, that takes a look at each directory, and with Strict at all that
// is hidden. Else it compares their entries: hidden files, as a shell's history, are replaced all
// the time, and other programs' temporary files come and go.
func (report *Report) Changed(r Rules) bool {
	var hidden hiding
	if r.Level == Strict {
		// Most of what is hidden is in no directory that is granted entry by entry, but may come
		// into one that is handed over as a whole.
		if hidden = r.hidden(); hidden.digest() != report.Hides {
			return true
		}
	}
	for i := range report.Around {
		a := &report.Around[i]
		at, err := changedAt(a.Path)
		if errors.Is(err, os.ErrNotExist) {
			return true
		}
		if err != nil || at == a.At {
			continue
		}
		if hidden == nil {
			hidden = r.hidden() // which takes some hundred looks
		}
		if hidden.digest() != report.Hides || hidden.entriesOf(a.Path) != a.Has {
			return true
		}
		a.At = at
	}
	return false
}

// changedAt returns when an inode was last changed, in nanoseconds: unlike the time of its
// content, its owner can't set it back.
func changedAt(path string) (int64, error) {
	var stat unix.Stat_t
	err := unix.Lstat(path, &stat)
	return unix.TimespecToNsec(stat.Ctim), err
}

// maxEntries bounds how many entries of a directory Changed looks at. With more, it has changed.
const maxEntries = 10_000

// entriesOf returns what is granted of a directory that is granted entry by entry, as
// entries.digest does, or "" if there is too much.
func (h hiding) entriesOf(path string) string {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return ""
	}
	defer unix.Close(fd)
	names, _ := namesOf(fd, maxEntries+1)
	if len(names) > maxEntries {
		return ""
	}
	var all entries
	for _, name := range names {
		var stat unix.Stat_t
		if !h.is(entryPath(path, name)) && unix.Fstatat(fd, name, &stat, unix.AT_SYMLINK_NOFOLLOW) == nil {
			all.add(name, &stat)
		}
	}
	return all.digest()
}

// entries are what is granted of a directory, each with its name and what it is. While there is a
// rule for a file, no other file gets its number.
type entries []string

func (e *entries) add(name string, stat *unix.Stat_t) {
	*e = append(*e, fmt.Sprintf("%x %x %o %s", stat.Dev, stat.Ino, stat.Mode&unix.S_IFMT, name))
}

func (e entries) digest() string {
	slices.Sort(e)
	return digest(e)
}

// digest says what is hidden, and whether it exists.
func (h hiding) digest() string {
	var all []string
	for _, p := range h {
		all = append(all, fmt.Sprint(p.own, p.exists, p.path))
	}
	return digest(all)
}

func digest(list []string) string {
	sum := sha256.Sum256([]byte(strings.Join(list, "\x00")))
	return hex.EncodeToString(sum[:8])
}
