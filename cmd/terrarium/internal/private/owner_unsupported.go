//go:build !unix

package private

import "io/fs"

// checkOwner knows of no owners.
func checkOwner(string, fs.FileInfo) error { return nil }
