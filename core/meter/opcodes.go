package meter

// Opcodes with a meaning for the meter (WebAssembly Core 2.0, section 5.4,
// https://www.w3.org/TR/wasm-core-2/#instructions%E2%91%A4). All others are
// ranges in the table below.
const (
	opUnreachable  = 0x00
	opBlock        = 0x02
	opLoop         = 0x03
	opIf           = 0x04
	opElse         = 0x05
	opEnd          = 0x0b
	opBr           = 0x0c
	opBrIf         = 0x0d
	opBrTable      = 0x0e
	opReturn       = 0x0f
	opCall         = 0x10
	opCallIndirect = 0x11
	opSelect       = 0x1b
	opLocalGet     = 0x20
	opLocalSet     = 0x21
	opLocalTee     = 0x22
	opGlobalGet    = 0x23
	opGlobalSet    = 0x24
	opMemorySize   = 0x3f
	opMemoryGrow   = 0x40
	opI32Const     = 0x41
	opI64Const     = 0x42
	opF32Const     = 0x43
	opF64Const     = 0x44
	opRefNull      = 0xd0
	opRefFunc      = 0xd2
	opMisc         = 0xfc // followed by a misc…
	opSIMD         = 0xfd

	miscMemoryInit = 8
	miscDataDrop   = 9
	miscMemoryCopy = 10
	miscMemoryFill = 11
	miscTableInit  = 12
	miscElemDrop   = 13
	miscTableCopy  = 14
	miscTableGrow  = 15
	miscTableSize  = 16
	miscTableFill  = 17

	simdConst = 12 // v128.const
)

// A form says what follows an opcode.
type form uint8

const (
	formRefused form = iota
	formNone
	formControl // the meter has to know it
	formLocal
	formGlobal
	formTable
	formMemarg     // alignment and offset
	formMemory     // the index of the memory, a zero byte
	formI32        // the number itself
	formI64        // the same
	formBytes4     // a float
	formBytes8     // a double
	formBytes16    // a vector, or the lanes of a shuffle
	formLane       // the number of a lane
	formMemargLane // both
	formTypes      // the types of a select
	formHeapType   // the type of a null
	formSIMD       // more of the opcode
)

// An instruction is what the meter knows of an opcode.
type instruction struct {
	form form
	cost uint8 // see costs.go
}

var instructions = spread([]span{
	{0x00, 0x01, formControl, costFree}, // unreachable, nop
	{0x02, 0x03, formControl, costFree}, // block, loop
	{0x04, 0x04, formControl, costPlain},
	{0x05, 0x05, formControl, costFree}, // else
	{0x0b, 0x0b, formControl, costFree}, // end
	{0x0c, 0x0f, formControl, costPlain},
	{0x10, 0x11, formControl, costCall},
	{0x1a, 0x1b, formNone, costPlain}, // drop, select
	{0x1c, 0x1c, formTypes, costPlain},
	{0x20, 0x22, formLocal, costPlain},
	{0x23, 0x24, formGlobal, costPlain},
	{0x25, 0x26, formTable, costPlain},
	{0x28, 0x3e, formMemarg, costPlain}, // loads and stores
	{0x3f, 0x3f, formMemory, costPlain}, // memory.size
	{0x40, 0x40, formControl, costCall},
	{0x41, 0x41, formI32, costPlain},
	{0x42, 0x42, formI64, costPlain},
	{0x43, 0x43, formBytes4, costPlain},
	{0x44, 0x44, formBytes8, costPlain},
	{0x45, 0x6c, formNone, costPlain},
	{0x6d, 0x70, formNone, costDivide}, // i32.div_s to rem_u
	{0x71, 0x7e, formNone, costPlain},
	{0x7f, 0x82, formNone, costDivide}, // i64.div_s to rem_u
	{0x83, 0x90, formNone, costPlain},
	{0x91, 0x91, formNone, costDivide}, // f32.sqrt
	{0x92, 0x94, formNone, costPlain},
	{0x95, 0x95, formNone, costDivide}, // f32.div
	{0x96, 0x9e, formNone, costPlain},
	{0x9f, 0x9f, formNone, costDivide}, // f64.sqrt
	{0xa0, 0xa2, formNone, costPlain},
	{0xa3, 0xa3, formNone, costDivide}, // f64.div
	{0xa4, 0xc4, formNone, costPlain},  // up to the sign extensions
	{0xd0, 0xd0, formHeapType, costPlain},
	{0xd1, 0xd1, formNone, costPlain},
	{0xd2, 0xd2, formControl, costPlain},
	{0xfc, 0xfc, formControl, costFree},
	{0xfd, 0xfd, formSIMD, costFree},
})

// simdInstructions are the vector instructions, by what follows their prefix.
// The holes are reserved.
var simdInstructions = spread([]span{
	{0x00, 0x0b, formMemarg, costPlain},
	{0x0c, 0x0d, formBytes16, costPlain}, // v128.const, i8x16.shuffle
	{0x0e, 0x14, formNone, costPlain},
	{0x15, 0x22, formLane, costPlain},
	{0x23, 0x53, formNone, costPlain},
	{0x54, 0x5b, formMemargLane, costPlain},
	{0x5c, 0x5d, formMemarg, costPlain},
	{0x5e, 0x99, formNone, costPlain},
	{0x9b, 0xa1, formNone, costPlain},
	{0xa3, 0xa4, formNone, costPlain},
	{0xa7, 0xae, formNone, costPlain},
	{0xb1, 0xb1, formNone, costPlain},
	{0xb5, 0xba, formNone, costPlain},
	{0xbc, 0xc1, formNone, costPlain},
	{0xc3, 0xc4, formNone, costPlain},
	{0xc7, 0xce, formNone, costPlain},
	{0xd1, 0xd1, formNone, costPlain},
	{0xd5, 0xe1, formNone, costPlain},
	{0xe3, 0xed, formNone, costPlain},
	{0xef, 0xff, formNone, costPlain},
})

// A span is a range of opcodes that are alike.
type span struct {
	first, last int
	form        form
	cost        uint8
}

func spread(spans []span) (table [256]instruction) {
	for _, s := range spans {
		for op := s.first; op <= s.last; op++ {
			table[op] = instruction{s.form, s.cost}
		}
	}
	return table
}

// foreignOpcode says which proposal an opcode belongs to that is not allowed.
func foreignOpcode(op byte) string {
	switch {
	case 0x06 <= op && op <= 0x0a, op == 0x18, op == 0x19, op == 0x1f:
		return "exception handling (opcode " + hex(uint32(op)) + ")"
	case op == 0x12 || op == 0x13:
		return "tail calls (opcode " + hex(uint32(op)) + ")"
	case op == 0x14 || op == 0x15 || 0xd3 <= op && op <= 0xd6:
		return "typed function references (opcode " + hex(uint32(op)) + ")"
	case op == 0xfb:
		return "garbage collection (opcode 0xfb)"
	case op == 0xfe:
		return "threads: atomic instructions (opcode 0xfe)"
	}
	return "opcode " + hex(uint32(op))
}

// foreignSIMD is the same for what follows the prefix of vector instructions.
func foreignSIMD(sub uint32) string {
	if 0x100 <= sub && sub <= 0x12f {
		return "relaxed SIMD (opcode 0xfd " + hex(sub) + ")"
	}
	return "opcode 0xfd " + hex(sub)
}
