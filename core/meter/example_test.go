package meter_test

import (
	"errors"
	"fmt"

	"github.com/terrarium-dev/terrarium/core/meter"
	. "github.com/terrarium-dev/terrarium/core/meter/metertest"
)

func ExampleInspect() {
	var m Module
	m.FunctionNames("main")
	m.Func("()->()", "", Op(0xfe, 0x03, 0x00)) // atomic.fence
	_, err := meter.Inspect(m.Bytes(), meter.Config{})
	fmt.Println(err)
	fmt.Println(errors.Is(err, meter.ErrUnsupported))
	// Output:
	// meter: unsupported: function 0 ("main"), byte 23: threads: atomic instructions (opcode 0xfe)
	// true
}
