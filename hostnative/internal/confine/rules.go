package confine

import (
	"fmt"
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
	// Show are directories in which nothing is hidden that is known to be secret: those where a
	// program keeps its own secrets. They are without links, and none is followed: a command may
	// have made it.
	Show []string
	// OpenNet has commands of AF_INET and AF_INET6 send datagrams wherever they like. Who decides
	// about connect has to know.
	OpenNet bool
	// Own are our own files, wherever XDG's variables have put them. Nothing hands them over but
	// Private. Those that are in Home without the variables are known.
	Own []string
	// HideNames hides the names of files in hidden directories too. Then the directories above
	// hidden ones can't be listed either, / and Home for two: Landlock has no right for one
	// directory alone.
	HideNames bool
}

// common returns what is the same in all sessions of a host.
func (r Rules) common() Rules {
	r.Roots, r.Write, r.Private = nil, nil, ""
	return r
}

// Check returns an error that names the first path that is no good.
func (r Rules) Check() error {
	_, err := r.check()
	return err
}

// check is Check, and returns what the rules hide, which takes some hundred looks.
func (r Rules) check() (hiding, error) {
	if err := r.checkNames(); err != nil || r.Level == Off {
		return nil, err
	}
	hidden := r.hidden()
	_, err := r.findHanded(hidden)
	return hidden, err
}

// checkNames looks at no file.
func (r Rules) checkNames() error {
	if r.Level < Off || int(r.Level) >= len(levels) {
		return fmt.Errorf("sandbox level %v: want off, workspace or strict", r.Level)
	}
	if r.Level == Off {
		return nil
	}
	absolute := slices.Concat(r.Hide, r.Own, r.Read, r.Show)
	if r.Home != "" {
		absolute = append(absolute, r.Home)
	}
	for _, path := range absolute {
		if err := checkPath(path); err != nil {
			return fmt.Errorf("sandbox: %w", err)
		}
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
