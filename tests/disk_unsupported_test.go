//go:build !linux

package tests

import "github.com/rogpeppe/go-internal/testscript"

func canMount() bool { return false }

func mountDisk(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Fatalf("disk: not on this system")
}
