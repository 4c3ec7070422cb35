//go:build !linux && !darwin

package main

import "os"

// setSignalKeys does nothing: a raw terminal sends no signals.
func setSignalKeys(*os.File, bool) {}
