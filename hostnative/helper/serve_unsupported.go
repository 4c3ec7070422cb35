//go:build !linux

package helper

// serve has nothing to do: hosts start helpers on Linux only.
func serve() {}
