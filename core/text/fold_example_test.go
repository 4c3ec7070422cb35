package text_test

import (
	"fmt"

	"github.com/terrarium-dev/terrarium/core/text"
)

// printer is a Sink.
type printer struct{}

func (printer) Append(p []byte) { fmt.Printf("committed %q\n", p) }

func ExampleFolder() {
	var f text.Folder
	f.Write(printer{}, []byte("\x1b[1mFetching\x1b[0m\r\n 10%\r 55%"))
	f.Write(printer{}, []byte("\r100%, done.\nunpacking"))
	fmt.Printf("open %q\n", f.AppendOpen(nil))
	f.Flush(printer{})
	// Output:
	// committed "Fetching\n"
	// committed "100%, done.\n"
	// open "unpacking"
	// committed "unpacking"
}
