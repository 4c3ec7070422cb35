package remotes

import (
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

// A refspec says which reference there is which here: "+refs/heads/*:refs/remotes/origin/*".
type refspec struct {
	force    bool
	src, dst string
	pair     bool // whether there was a ":"
}

func parseRefspec(s string) refspec {
	rest, force := strings.CutPrefix(s, "+")
	src, dst, pair := strings.Cut(rest, ":")
	return refspec{force, src, dst, pair}
}

// mapped returns what the refspec makes of a name on its left side.
func (s refspec) mapped(name string) (string, bool) {
	before, after, wild := strings.Cut(s.src, "*")
	if !wild {
		return s.dst, name == s.src
	}
	if len(name) < len(before)+len(after) || !strings.HasPrefix(name, before) || !strings.HasSuffix(name, after) {
		return "", false
	}
	return strings.Replace(s.dst, "*", name[len(before):len(name)-len(after)], 1), true
}

// back returns what on its left side a name on its right side is of.
func (s refspec) back(name string) (string, bool) {
	return refspec{src: s.dst, dst: s.src}.mapped(name)
}

// safeRef reports whether a name that comes from elsewhere may become a reference's.
func safeRef(name string) bool {
	rest, ok := strings.CutPrefix(name, "refs/")
	return ok && len(name) <= maxRefName && repo.ValidName(rest)
}

// maxRefName bounds a reference's name in bytes.
const maxRefName = 1024

// short is a reference's name without what begins most of them.
func short(name string) string {
	for _, prefix := range []string{"refs/heads/", "refs/tags/", "refs/remotes/"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			return rest
		}
	}
	return name
}

// guesses are what a short name may stand for, in git's order.
var guesses = []string{"", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/"}
