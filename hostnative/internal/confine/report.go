package confine

import (
	"errors"
	"fmt"
	"strings"
)

// A Report tells what is in force, or could be.
type Report struct {
	// Level is that of the rules, and Off in what Available returns.
	Level Level
	// Landlock is the version of the kernel's interface that is used, 0 if there is none.
	Landlock int
	// Calls: a seccomp filter refuses system calls.
	Calls bool
	// Notify: another process can decide about calls, or does.
	Notify bool
	// GetFD: another process can take a command's socket, which it needs in order to
	// connect it.
	GetFD bool
	// Missing is what this kernel lacks, and what follows from it.
	Missing []Gap
	// Gaps is what is not held although the kernel lacks nothing.
	Gaps []Gap
	// Around are the directories that are granted entry by entry.
	Around []Around
	// Hides is a digest of what is hidden.
	Hides string
}

// An Around is a directory that is granted entry by entry, as it was looked at.
type Around struct {
	Path string // without links
	At   int64  // when it had last changed: the time of its inode (ctime), in nanoseconds
	Has  string // a digest of what was granted of it
}

func (r Report) aroundPaths() (paths []string) {
	for _, a := range r.Around {
		paths = append(paths, a.Path)
	}
	return paths
}

// A Gap is something that commands can do.
type Gap struct {
	Name string // a word, which stays the same
	Text string // a sentence, for people
}

// Err is for who would rather not run a command than run it with less. It
// returns nil if files and calls are restricted.
func (r Report) Err() error {
	var lacks []string
	for _, gap := range r.Missing {
		if gap.Name == "landlock" || gap.Name == "seccomp" {
			lacks = append(lacks, gap.Text)
		}
	}
	if len(lacks) == 0 {
		return nil
	}
	return fmt.Errorf("sandbox: %s: %w", strings.Join(lacks, "; "), errors.ErrUnsupported)
}

// Lacks tells whether a gap of that name is among what is missing, or among the gaps.
func (r Report) Lacks(name string) bool {
	for _, gaps := range [][]Gap{r.Missing, r.Gaps} {
		for _, gap := range gaps {
			if gap.Name == name {
				return true
			}
		}
	}
	return false
}
