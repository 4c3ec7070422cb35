package cc

import "strings"

// emulated are parts of a system that WASI lacks, and that its C library has to be asked for:
// signals that a process sends itself, clock, getpid, and mmap of files that are read. Programs do
// not ask, so it is done for them.
//
// https://github.com/WebAssembly/wasi-libc
var emulated = []string{"signal", "process-clocks", "getpid", "mman"}

// defaults are what clang is told before all else. There are no exceptions in WebAssembly as it is
// here: a program that does without shall not be linked for them.
func defaults() []string {
	options := []string{"-fno-exceptions"}
	for _, part := range emulated {
		options = append(options, "-D_WASI_EMULATED_"+strings.ToUpper(strings.ReplaceAll(part, "-", "_")))
	}
	return options
}
