package grep

import (
	"path"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// filters say which files of a folder are searched. The last one that matches a name counts.
type filters struct {
	files []filter
	dirs  []string
}

type filter struct {
	glob    string
	include bool
}

func (f *filters) add(env *tool.Env, option, arg string) bool {
	switch option {
	case "exclude-dir":
		f.dirs = append(f.dirs, strings.TrimRight(arg, "/"))
	case "exclude-from":
		p, err := env.ReadFile(arg)
		if err != nil {
			env.FileError(arg, err)
			return false
		}
		for _, glob := range strings.Fields(string(p)) {
			f.files = append(f.files, filter{glob, false})
		}
	default:
		f.files = append(f.files, filter{arg, option == "include"})
	}
	return true
}

// skipFile reports whether a file is left out.
func (f *filters) skipFile(name string) bool {
	if len(f.files) == 0 {
		return false
	}
	for i := len(f.files) - 1; i >= 0; i-- {
		if globMatch(f.files[i].glob, name) {
			return !f.files[i].include
		}
	}
	return f.files[0].include
}

// skipDir reports whether a folder is left out.
func (f *filters) skipDir(name string) bool {
	for _, glob := range f.dirs {
		if globMatch(glob, name) {
			return true
		}
	}
	return false
}

// globMatch matches a whole name, or its last parts.
func globMatch(glob, name string) bool {
	glob = strings.ReplaceAll(glob, "[!", "[^")
	for {
		if flatMatch(glob, name) {
			return true
		}
		_, rest, ok := strings.Cut(name, "/")
		if !ok {
			return false
		}
		name = rest
	}
}

// flatMatch is path.Match where "*" matches slashes too.
func flatMatch(glob, name string) bool {
	const slash = "\x01"
	ok, err := path.Match(strings.ReplaceAll(glob, "/", slash), strings.ReplaceAll(name, "/", slash))
	return ok && err == nil
}
