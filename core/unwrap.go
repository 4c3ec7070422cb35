//go:build !reactor

package core

// Unwrap returns e.Err. In a reactor there is none: hosts are on the far side
// of a wire there.
func (e *HostError) Unwrap() error { return e.Err }
