package plugins

import (
	"fmt"
	"runtime/debug"
)

// modulePath is this module's.
const modulePath = "github.com/terrarium-dev/terrarium"

// Devel is the version of what was built from a working copy.
const Devel = "(devel)"

// readBuildInfo is where versions come from. Tests have others.
var readBuildInfo = debug.ReadBuildInfo

// A release is the version of this module that a program was built with.
type release struct {
	path    string // modulePath, or that of a fork
	version string
	sum     string // as go.sum has it, or empty: vendored modules have none
}

// ownRelease returns the release that the program was built with. ok is false for a
// working copy: what the go command knows of its commits is nowhere to be had from.
func ownRelease() (r release, ok bool) {
	info, ok := readBuildInfo()
	if !ok {
		return release{}, false
	}
	if m := info.Main; m.Path == modulePath {
		return release{m.Path, m.Version, m.Sum}, m.Sum != ""
	}
	for _, m := range info.Deps {
		if m.Path != modulePath {
			continue
		}
		if m.Replace != nil {
			m = m.Replace
		}
		return release{m.Path, m.Version, m.Sum}, m.Version != "" && m.Version != Devel
	}
	return release{}, false
}

// Version returns the version of this module that the program was built with, or Devel
// if it was built from a working copy.
func Version() string {
	if r, ok := ownRelease(); ok {
		return r.version
	}
	return Devel
}

// errDevel is why nothing can be built without Builder.Dir.
var errDevel = fmt.Errorf("this program was built from a working copy of %s, and only a release can be downloaded again: name the copy, or run make build there", modulePath)
