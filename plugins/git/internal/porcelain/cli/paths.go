package cli

import (
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

func Matches(paths repo.Paths, i int, names []string) bool {
	for _, name := range names {
		if paths.MatchOne(i, name) {
			return true
		}
	}
	return false
}

func (c *Call) Outside(path string) error {
	return Fatal("%s: '%s' is outside repository at '%s'", path, path, c.Repo.Top)
}

// Show returns a path as seen from the current directory.
func (c *Call) Show(name string) string { return Quote(Relative(c.Repo.Prefix, name)) }

func Relative(prefix, name string) string {
	up := ""
	for prefix != "" && !strings.HasPrefix(name, prefix) {
		prefix = prefix[:strings.LastIndexByte(strings.TrimSuffix(prefix, "/"), '/')+1]
		up += "../"
	}
	if rest := up + name[len(prefix):]; rest != "" {
		return rest
	}
	return "./"
}
