package workspace

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/printable"
)

// What a path may be.
const (
	maxPath  = 4096 // bytes, also of what a symbolic link says
	maxName  = 255  // bytes of a part of it
	maxDepth = 128  // parts
)

// wrongDepth is why nothing can be deeper.
var wrongDepth = fmt.Sprintf("more than %d directories deep", maxDepth)

// A PathError says which path is refused, and why.
type PathError struct {
	Path string // as it came
	Why  string
}

func (e *PathError) Error() string {
	return printable.Text(e.Path[:min(len(e.Path), maxPath)]) + ": " + e.Why
}

// CheckPath says why nothing can be at a path of a workspace. The error is a *PathError.
func CheckPath(p string) error {
	if why := wrongPath(p); why != "" {
		return &PathError{p, why}
	}
	return nil
}

func wrongPath(p string) string {
	switch {
	case p == "" || p == ".":
		return "no path"
	case len(p) > maxPath:
		return fmt.Sprintf("a path of more than %d bytes", maxPath)
	case !isText(p):
		return "a name that is no text, or has control characters"
	case !filepath.IsLocal(p):
		return "it leaves the workspace"
	case path.Clean(p) != p:
		return "a path that is not in its shortest form"
	case strings.Count(p, "/") >= maxDepth:
		return wrongDepth
	}
	for part := range strings.SplitSeq(p, "/") {
		switch {
		case len(part) > maxName:
			return fmt.Sprintf("a name of more than %d bytes", maxName)
		case isGit(part):
			return "git's own files are not carried"
		case strings.HasPrefix(part, stagePrefix):
			return "a name that is ours"
		}
	}
	return ""
}

// isText reports whether a name is UTF-8 that can stand in a line. Other names could be carried,
// but not be shown to who decides about them.
func isText(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) || r == '\u2028' || r == '\u2029'
	})
}

// isGit reports whether some file system takes name for ".git": one that does not tell small
// letters from large ones, HFS+, which leaves out what nobody sees, or NTFS with its short names.
// Git itself refuses the same (verify_path in its read-cache.c).
func isGit(name string) bool {
	seen := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
	// Behind a colon is a stream of NTFS, and behind a backslash what is in a directory.
	if i := strings.IndexAny(seen, `:\`); i >= 0 {
		seen = seen[:i]
	}
	seen = strings.TrimRight(seen, ". ")
	return seen == ".git" || seen == "git~1"
}

// CheckTarget says why the far side can't have a symbolic link at p that says target. It may lead
// to what is in the workspace: up with ".." first, as high as the workspace, then down. A ".."
// further on could follow another link and leave.
func CheckTarget(p, target string) error {
	if why := wrongTarget(p, target); why != "" {
		return &PathError{p, "a symbolic link to " + printable.Text(target[:min(len(target), maxPath)]) + ": " + why}
	}
	return nil
}

func wrongTarget(p, target string) string {
	if err := checkTargetText(target); err != nil {
		return err.Error()
	}
	if path.IsAbs(target) {
		return "it leaves the workspace"
	}
	up, down := strings.Count(p, "/"), false
	for part := range strings.SplitSeq(target, "/") {
		switch {
		case part == "" || part == ".":
		case part == ".." && (down || up == 0):
			return "it may leave the workspace"
		case part == "..":
			up--
		case isGit(part):
			return "git's own files are not carried"
		default:
			down = true
		}
	}
	return ""
}

// checkTargetText says why no symbolic link can say that.
func checkTargetText(target string) error {
	switch {
	case target == "":
		return errors.New("it says nothing")
	case len(target) > maxPath:
		return fmt.Errorf("it says more than %d bytes", maxPath)
	case !isText(target):
		return errors.New("what it says is no text, or has control characters")
	}
	return nil
}
