//go:build !unix

package rulebook

import (
	"errors"
	"io/fs"
	"os"
)

const openNonblock = 0

func mayWrite(string) bool { return true }

func mayExecute(string) bool { return true }

func lock(string) (unlock func(), err error) { return nil, errors.ErrUnsupported }

func keepOwner(*os.File, fs.FileInfo) error { return nil }

func owner(fs.FileInfo) (uid int, ok bool) { return 0, false }

func ownGroup(fs.FileInfo) bool { return false }
