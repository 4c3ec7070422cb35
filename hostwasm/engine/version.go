package engine

import (
	"runtime/debug"
	"strings"
)

// LinkedVersion names the module at path, or below it, that is linked into this
// program, and what it was replaced by. Programs that go test makes are not told
// of modules: there it is path at usual, the version in our go.mod, "untold".
//
// Without that word both kinds of program would use one entry of the cache.
// wazero files its code by the version that it is told, so neither would find
// what the other has left, and each would compile the module again in its place.
func LinkedVersion(path, usual string) string {
	if info, ok := debug.ReadBuildInfo(); ok {
		if v := versionAmong(info.Deps, path); v != "" {
			return v
		}
	}
	return path + "@" + usual + " untold"
}

func versionAmong(modules []*debug.Module, path string) string {
	for _, m := range modules {
		if m.Path != path && !strings.HasPrefix(m.Path, path+"/") {
			continue
		}
		v := m.Path + "@" + m.Version
		if r := m.Replace; r != nil {
			v += " => " + r.Path + "@" + r.Version + " " + r.Sum
		}
		return v
	}
	return ""
}
