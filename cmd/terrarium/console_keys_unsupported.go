//go:build !linux && !darwin

package main

import "os"

// keepsColumn reports whether f may be a raw terminal.
func keepsColumn(f *os.File) bool { return isTerminal(f) }

// setSignalKeys does nothing: a raw terminal sends no signals.
func setSignalKeys(*os.File, bool) {}
