package main

import (
	"math"

	"golang.org/x/sys/unix"
)

// keepInherited has programs that we start get none of the descriptors that whoever has started us
// left open: one that lives on would keep their pipes from ending.
func keepInherited() {
	unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) // an error means an old kernel
}
