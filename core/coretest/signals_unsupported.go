//go:build !unix

package coretest

// HeedSignals does nothing: no signals are ignored here that a command would see.
func HeedSignals() {}
