//go:build !unix

package dirlock

import (
	"os"
	"time"
)

// Lock does nothing: of two who change a directory at once neither may have what they wrote.
func Lock(string) (unlock func(), err error) { return func() {}, nil }

// Try does nothing, as Lock.
func Try(string) (unlock func(), err error) { return func() {}, nil }

// Within does nothing, as Lock.
func Within(string, time.Duration) (unlock func(), err error) { return func() {}, nil }

// Hold does nothing but close f in the end, as Lock.
func Hold(f *os.File, _ time.Duration) (unlock func(), err error) {
	return func() { f.Close() }, nil
}
