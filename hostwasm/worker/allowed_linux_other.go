//go:build linux && (riscv64 || loong64)

package worker

import (
	"errors"
	"os"
	"runtime"
)

// maxThreads is how many threads a worker may have, where they are counted.
const maxThreads = 0

var (
	errNoList = errors.New("no list for " + runtime.GOARCH + " of those that a worker needs")
	errTell   = errors.New("the host is gone")
)

func allowed() []rule                                      { return nil }
func listApplies() error                                   { return errNoList }
func keepToList(func(*os.File) error) (noWatch, err error) { return nil, errNoList }
