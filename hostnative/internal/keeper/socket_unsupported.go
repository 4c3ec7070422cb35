//go:build !linux

package keeper

// hasSocket reports whether standard input may be a host's: there are keepers on Linux
// only.
func hasSocket() bool { return false }
