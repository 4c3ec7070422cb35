// Package vm runs a test binary in a virtual machine: for kernels and cgroups that the machine
// itself does not have. QEMU computes all of it (TCG), so it is some twenty times slower.
package vm

import (
	"fmt"
	"io"
)

// An archive is a cpio(5) file in the newc format, which Linux unpacks as its first files.
type archive struct {
	w   io.Writer
	n   int // entries so far
	err error
}

func (a *archive) dir(name string)                { a.entry(name, 0o040755, nil) }
func (a *archive) file(name string, p []byte)     { a.entry(name, 0o100755, p) }
func (a *archive) device(name string, ma, mi int) { a.node(name, 0o020600, nil, ma, mi) }
func (a *archive) close() error {
	a.entry("TRAILER!!!", 0, nil)
	return a.err
}

func (a *archive) entry(name string, mode int, p []byte) { a.node(name, mode, p, 0, 0) }

func (a *archive) node(name string, mode int, p []byte, major, minor int) {
	if a.err != nil {
		return
	}
	a.n++
	header := fmt.Sprintf("070701%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x",
		a.n, mode, 0, 0, 1, 0, len(p), 0, 0, major, minor, len(name)+1, 0)
	a.padded([]byte(header + name + "\x00"))
	a.padded(p)
}

// padded writes p and what is missing to a multiple of 4 bytes.
func (a *archive) padded(p []byte) {
	if a.err == nil {
		_, a.err = a.w.Write(append(p, make([]byte, -len(p)&3)...))
	}
}
