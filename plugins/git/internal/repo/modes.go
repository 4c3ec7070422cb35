package repo

import (
	"io/fs"

	"github.com/go-git/go-billy/v6"

	modes "github.com/terrarium-dev/terrarium/plugins/fs"
)

// A moded file system sets permissions in the sandbox too: the library makes objects read-only, as
// git does.
type moded struct{ billy.Filesystem }

// Chmod implements billy.Chmod.
func (m moded) Chmod(name string, mode fs.FileMode) error {
	return modes.Chmod(m.Join(m.Root(), name), uint32(mode.Perm()))
}
