package vt_test

import (
	"fmt"

	"github.com/terrarium-dev/terrarium/core/vt"
)

// printer is a Handler that knows two sequences.
type printer struct{}

func (printer) Print(p []byte) { fmt.Printf("text %q\n", p) }
func (printer) Execute(c byte) { fmt.Printf("control %#02x\n", c) }
func (printer) ESC(op vt.Op)   { fmt.Printf("ESC %v\n", op) }

func (printer) CSI(op vt.Op, params *vt.Params) {
	switch op {
	case 'H':
		fmt.Printf("cursor to row %d, column %d\n", params.Or(0, 1), params.Or(1, 1))
	case '?'<<8 | 'h':
		fmt.Printf("set mode %d\n", params.Value(0))
	default:
		fmt.Printf("CSI %v\n", op)
	}
}

func (printer) OSC(payload []byte)                   { fmt.Printf("OSC %q\n", payload) }
func (printer) DCS(op vt.Op, _ *vt.Params, _ []byte) { fmt.Printf("DCS %v\n", op) }

func ExampleParser() {
	var p vt.Parser
	p.Parse(printer{}, []byte("\x1b[?1049h\x1b]0;top\a\x1b[5Hload: 0.42\r\x1b[1"))
	p.Parse(printer{}, []byte(";31m!"))
	// Output:
	// set mode 1049
	// OSC "0;top"
	// cursor to row 5, column 1
	// text "load: 0.42"
	// control 0x0d
	// CSI m
	// text "!"
}
