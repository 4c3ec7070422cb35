package confine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Rules say what commands may use. They are plain data, which a host can send to
// its keeper. All paths are absolute. None of it comes from a request's cwd.
type Rules struct {
	Level Level
	// Roots are directories that a session hands over. They can be read and written.
	Roots []string
	// Write are more directories that can.
	Write []string
	// Private is the directory for temporary files and caches, if not empty. It can be read and
	// written, wherever it is.
	Private string
	// Read are directories that Strict lets be read besides those that it knows: see Toolchains.
	Read []string
	// Home is the person's directory. What is known to be secret in it is hidden.
	Home string
	// Hide are paths that can't be read, besides the list. They need not exist.
	Hide []string
	// Own are our own files, wherever XDG's variables have put them. Nothing hands them over but
	// Private. Those that are in Home without the variables are known.
	Own []string
	// HideNames hides the names of files in hidden directories too. Then the directories above
	// hidden ones can't be listed either, / and Home for two: Landlock has no right for one
	// directory alone.
	HideNames bool
}

// Check returns an error that names the first path that is no good.
func (r Rules) Check() error {
	if r.Level < Off || int(r.Level) >= len(levels) {
		return fmt.Errorf("sandbox level %v: want off, workspace or strict", r.Level)
	}
	if r.Level == Off {
		return nil
	}
	absolute := slices.Concat(r.Hide, r.Own, r.Read)
	if r.Home != "" {
		absolute = append(absolute, r.Home)
	}
	for _, path := range absolute {
		if err := checkPath(path); err != nil {
			return fmt.Errorf("sandbox: %w", err)
		}
	}
	hidden := r.hidden()
	for _, h := range r.handed() {
		if err := h.check(hidden); err != nil {
			return err
		}
	}
	return nil
}

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

// A handed is a directory that can be written.
type handed struct{ name, path string }

const private = "private directory"

// kernelDirs are never written: what is in them configures the system, and says
// which cgroup a process is in.
var kernelDirs = []string{"/proc", "/sys"}

func (h handed) check(hidden hiding) error {
	err := checkPath(h.path)
	if err == nil {
		var info os.FileInfo
		if info, err = os.Stat(h.path); err == nil && !info.IsDir() {
			err = fmt.Errorf("%q: not a directory", h.path)
		}
	}
	if err == nil {
		var real string
		if real, err = filepath.EvalSymlinks(h.path); err == nil {
			err = h.allowed(real, hidden)
		}
	}
	if err, ok := errors.AsType[*os.PathError](err); ok {
		return fmt.Errorf("sandbox %s %q: %w", h.name, h.path, err.Err)
	}
	if err != nil {
		return fmt.Errorf("sandbox %s %w", h.name, err)
	}
	return nil
}

// allowed returns why the directory can't be handed over, which is real without links.
func (h handed) allowed(real string, hidden hiding) error {
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

func checkPath(path string) error {
	if !filepath.IsAbs(path) {
		return fmt.Errorf("%q: not an absolute path", path)
	}
	if strings.ContainsRune(path, 0) {
		return fmt.Errorf("%q: no path has a zero byte", path)
	}
	return nil
}
