//go:build !linux && !darwin

package cache

import (
	"fmt"
	"io/fs"
	"os"
)

// Here there is no way to tell whose a file is, and no guest reaches any.

func ours(fs.FileInfo) bool     { return true }
func onlyName(fs.FileInfo) bool { return true }

func identity(info fs.FileInfo) string { return fmt.Sprint(info.Size(), info.ModTime().UnixNano()) }

func openFile(name string) (*os.File, error) { return os.Open(name) }

func lock(string) (unlock func(), err error) { return func() {}, nil }

// CheckPath returns nil: there is no way to tell.
func CheckPath(string) error { return nil }
