//go:build wasip1

// Shout prints a file in capitals. It leaves the capitals to its host.
package main

import (
	"fmt"
	"os"
	"unsafe"
)

// upper makes n bytes at p upper case and returns an errno.
//
//go:wasmimport example upper
func upper(p unsafe.Pointer, n uint32) uint32

func main() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if errno := upper(unsafe.Pointer(unsafe.SliceData(text)), uint32(len(text))); errno != 0 {
		fmt.Fprintln(os.Stderr, "upper: errno", errno)
		os.Exit(1)
	}
	os.Stdout.Write(text)
}
