// Package web has the page: the files of the npm package and of the demo, as they
// were built.
package web

import (
	"embed"
	"io/fs"
)

//go:embed all:dist all:demo
var files embed.FS

// Files returns the files, below dist and demo. A build that was made without
// them has only the folders.
func Files() fs.FS { return files }
