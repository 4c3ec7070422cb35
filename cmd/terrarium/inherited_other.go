//go:build !linux

package main

// keepInherited does nothing: here descriptors are not marked all at once.
func keepInherited() {}
