package find

import (
	"io/fs"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/sys"
)

// executable reports whether a file may be run. Without permissions every file may.
func executable(fi fs.FileInfo) bool { return !sys.HasModes || fi.Mode()&0o111 != 0 }
