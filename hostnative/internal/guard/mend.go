//go:build linux || darwin

package guard

import (
	"os"
	"path/filepath"
)

// Commands can't write what is in State, but for modes: the system leaves those to a file's owner,
// and a command is the same user. One that takes the rights from our files or from a directory on
// the way to them would keep us from comparing. So these are given back before they are needed.
// Root needs none.

// mend gives back the rights to what is in State, but for areas, and to the way there.
func (g *Guard) mend() {
	if os.Geteuid() == 0 {
		return
	}
	var way []string
	for dir := filepath.Dir(g.config.State); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		way = append(way, dir)
	}
	for i := len(way) - 1; i >= 0; i-- {
		allow(way[i], 0o100)
	}
	for _, name := range []string{"", "areas", "kept"} {
		allow(filepath.Join(g.config.State, name), 0o700)
	}
	allow(filepath.Join(g.config.State, "lock"), 0o600)
}

// mendArea gives back the rights to the files of an area.
func mendArea(dir string) {
	if os.Geteuid() == 0 {
		return
	}
	allow(dir, 0o700)
	for _, name := range []string{"place", "base", "users", "work"} {
		allow(filepath.Join(dir, name), 0o600)
	}
}

// allow adds what is missing of mode to a file or a directory. Where that fails, so does what comes
// next, and tells.
func allow(name string, mode os.FileMode) {
	info, err := os.Lstat(name)
	if err != nil || info.Mode().Perm()&mode == mode || !info.IsDir() && !info.Mode().IsRegular() {
		return
	}
	os.Chmod(name, info.Mode().Perm()|mode)
}
