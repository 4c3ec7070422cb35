//go:build linux || darwin

package protect

import (
	"maps"
	"path"
	"strings"

	"golang.org/x/sys/unix"
)

// follow finds what protected files lead to: links like hooks/pre-commit, core.hooksPath, and files
// that configuration includes. It reports whether that has changed.
func (r *root) follow() bool {
	extras := map[string]kind{}
	add := func(from, to string, k kind) {
		switch {
		case path.IsAbs(to) && path.Clean(to) == to && within(to, r.path):
			to = r.below(to)
		case to != "" && upward(to):
			to = path.Join(from, to)
		default:
			return
		}
		if to != "." && to != ".." && !strings.HasPrefix(to, "../") {
			extras[to] = k
		}
	}
	for name, l := range r.base.leaves {
		dir := path.Dir(name)
		switch {
		case l.info.kind() == unix.S_IFLNK:
			add(dir, l.link, l.kind)
		case l.kind == gitConfig && l.held:
			entries, err := parseConfig(l.data)
			if err != nil {
				continue
			}
			top := dir
			if path.Base(dir) == ".git" {
				top = path.Dir(dir)
			}
			for _, e := range entries {
				switch {
				case e.name() == "core.hookspath":
					add(top, strings.TrimPrefix(strings.TrimSuffix(e.value, "/"), "./"), hook)
				case (e.section == "include" || e.section == "includeif") && e.key == "path":
					add(dir, strings.TrimPrefix(e.value, "./"), gitConfig)
				}
			}
		}
	}
	if maps.Equal(extras, r.extras) {
		return false
	}
	r.extras = extras
	r.extrasAt++
	return true
}
