package keys_test

import (
	"fmt"

	"github.com/terrarium-dev/terrarium/core/keys"
)

func Example() {
	var m keys.Modes
	fmt.Printf("%q\n", keys.Type(nil, "C-c", m))
	fmt.Printf("%q\n", keys.Type(nil, "ls\n", m))

	m.AppCursor = true // vim has switched it on
	fmt.Printf("%q\n", keys.Type(nil, "Up", m))

	_, ok := keys.Lookup("Ctrl-C", m)
	fmt.Println(ok)
	// Output:
	// "\x03"
	// "ls\n"
	// "\x1bOA"
	// false
}
