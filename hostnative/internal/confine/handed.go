package confine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A handed is a directory that can be written.
type handed struct{ name, path string }

const private = "private directory"

// handed are the directories that can be written, each with what it is called.
func (r Rules) handed() []handed {
	var all []handed
	for _, path := range r.Roots {
		all = append(all, handed{"root", path})
	}
	for _, path := range r.Write {
		all = append(all, handed{"writable directory", path})
	}
	if r.Private != "" {
		all = append(all, handed{private, r.Private})
	}
	return all
}

// findHanded returns where each of the directories leads to, without links.
//
// No link may lie in one of them: commands can write there, so one of them may have made it, and
// would be handed over what it leads to as soon as the rules are applied again. Whoever opens
// what is returned must follow no link either: what was a directory may be one by then.
func (r Rules) findHanded(hidden hiding) (real []string, err error) {
	all := r.handed()
	links := make([][]string, len(all)) // on the way to each
	for i, h := range all {
		to, on, err := h.find(hidden)
		if err != nil {
			return nil, err
		}
		real, links[i] = append(real, to), on
	}
	for i, h := range all {
		for _, link := range links[i] {
			in := filepath.Dir(link)
			if slices.ContainsFunc(real, func(dir string) bool { return in == dir || isBelow(in, dir) }) {
				return nil, fmt.Errorf("sandbox %s %q: %q is a link in a directory that commands can write: name %q itself", h.name, h.path, link, real[i])
			}
		}
	}
	return real, nil
}

// find returns where a directory is, and the links that lead there.
func (h handed) find(hidden hiding) (real string, links []string, err error) {
	err = checkPath(h.path)
	if err == nil {
		real, links, err = walk(h.path)
	}
	if err == nil {
		var info os.FileInfo
		if info, err = os.Lstat(real); err == nil && !info.IsDir() {
			err = fmt.Errorf("%q: not a directory", h.path)
		}
	}
	if err == nil {
		err = h.allowed(real, hidden)
	}
	if err, ok := errors.AsType[*os.PathError](err); ok {
		return "", nil, fmt.Errorf("sandbox %s %q: %w", h.name, h.path, err.Err)
	}
	if err != nil {
		return "", nil, fmt.Errorf("sandbox %s %w", h.name, err)
	}
	return real, links, nil
}

// maxLinks is how many links a path may have on its way, as for the kernel.
const maxLinks = 40

var errLinks = errors.New("too many links")

// walk returns an absolute path without links, and where those were, without links on their way.
func walk(path string) (real string, links []string, err error) {
	real = "/"
	for rest := path; rest != ""; {
		var name string
		name, rest, _ = strings.Cut(rest, "/")
		switch name {
		case "", ".":
			continue
		case "..":
			real = filepath.Dir(real)
			continue
		}
		at := filepath.Join(real, name)
		info, err := os.Lstat(at)
		if err != nil {
			return "", nil, err
		}
		if info.Mode()&os.ModeSymlink == 0 {
			real = at
			continue
		}
		if links = append(links, at); len(links) > maxLinks {
			return "", nil, &os.PathError{Op: "open", Path: path, Err: errLinks}
		}
		to, err := os.Readlink(at)
		if err != nil {
			return "", nil, err
		}
		if filepath.IsAbs(to) {
			real = "/"
		}
		rest = to + "/" + rest
	}
	return real, links, nil
}

// kernelDirs are never written: what is in them configures the system, and says
// which cgroup a process is in.
var kernelDirs = []string{"/proc", "/sys"}

// ErrEverything says that the root directory can't be handed over.
var ErrEverything = errors.New("it is the root directory: a sandbox whose commands write all that there is would be none")

// allowed returns why the directory can't be handed over, which is real without links.
func (h handed) allowed(real string, hidden hiding) error {
	if real == "/" {
		return fmt.Errorf("%q: %w", h.path, ErrEverything)
	}
	for _, dir := range kernelDirs {
		if real == dir || isBelow(real, dir) {
			return fmt.Errorf("%q: what is in %s is the kernel's", h.path, dir)
		}
	}
	if h.name == private {
		return nil
	}
	above, own := hidden.above(real)
	switch {
	case own:
		return fmt.Errorf("%q: it is among Terrarium's own files", h.path)
	case above != "" && real != filepath.Clean(h.path):
		return fmt.Errorf("%q: it leads to %q, which is hidden", h.path, real)
	}
	return nil
}
