package metertest

import "bytes"

// Opcodes that tests have use for. Any other can be given to [Op] as a number.
const (
	Unreachable  = 0x00
	Nop          = 0x01
	Else         = 0x05
	End          = 0x0b
	Return       = 0x0f
	Drop         = 0x1a
	Select       = 0x1b
	I32Load      = 0x28
	I64Load      = 0x29
	I32Load8U    = 0x2d
	I32Store     = 0x36
	I64Store     = 0x37
	I32Store8    = 0x3a
	I32Eqz       = 0x45
	I32Eq        = 0x46
	I32LtU       = 0x49
	I32GtU       = 0x4b
	I32Add       = 0x6a
	I32Sub       = 0x6b
	I32Mul       = 0x6c
	I32DivS      = 0x6d
	I32RemU      = 0x70
	I32And       = 0x71
	I32Or        = 0x72
	I32Xor       = 0x73
	I64Add       = 0x7c
	I32WrapI64   = 0xa7
	I64ExtendU   = 0xad
	I32Extend8S  = 0xc0
	RefNull      = 0xd0
	MiscPrefix   = 0xfc
	VectorPrefix = 0xfd
	FuncrefType  = 0x70
	EmptyType    = 0x40
	I32Type      = 0x7f
)

// Code joins pieces of code.
func Code(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

// Op returns opcodes and other bytes as they are.
func Op(code ...byte) []byte { return code }

// U32 returns an unsigned LEB128 number.
func U32(v uint32) []byte {
	var p []byte
	for ; v >= 0x80; v >>= 7 {
		p = append(p, byte(v)|0x80)
	}
	return append(p, byte(v))
}

// S64 returns a signed LEB128 number.
func S64(v int64) []byte {
	var p []byte
	for ; v < -0x40 || v >= 0x40; v >>= 7 {
		p = append(p, byte(v)|0x80)
	}
	return append(p, byte(v&0x7f))
}

// Name returns a name as the binary format has it.
func Name(s string) []byte { return append(U32(uint32(len(s))), s...) }

// The instructions with operands of their own.

func I32(v int32) []byte             { return Code(Op(0x41), S64(int64(v))) }
func I64(v int64) []byte             { return Code(Op(0x42), S64(v)) }
func Get(local uint32) []byte        { return Code(Op(0x20), U32(local)) }
func Set(local uint32) []byte        { return Code(Op(0x21), U32(local)) }
func Tee(local uint32) []byte        { return Code(Op(0x22), U32(local)) }
func GetGlobal(global uint32) []byte { return Code(Op(0x23), U32(global)) }
func SetGlobal(global uint32) []byte { return Code(Op(0x24), U32(global)) }
func Call(f uint32) []byte           { return Code(Op(0x10), U32(f)) }
func RefFunc(f uint32) []byte        { return Code(Op(0xd2), U32(f)) }

// CallIndirect calls through a table by the index of a type.
func CallIndirect(typ, table uint32) []byte { return Code(Op(0x11), U32(typ), U32(table)) }

// Memory returns a load or store of any alignment.
func Memory(op byte, offset uint32) []byte { return Code(Op(op, 0), U32(offset)) }

// MemorySize and MemoryGrow are for the one memory there is.
func MemorySize() []byte { return Op(0x3f, 0) }
func MemoryGrow() []byte { return Op(0x40, 0) }

// Misc returns an instruction with the prefix 0xfc: memory.init is 8, data.drop
// 9, memory.copy 10, memory.fill 11, table.init 12, elem.drop 13, table.copy 14,
// table.grow 15, table.size 16, table.fill 17.
func Misc(sub uint32, indices ...uint32) []byte {
	p := Code(Op(MiscPrefix), U32(sub))
	for _, i := range indices {
		p = append(p, U32(i)...)
	}
	return p
}

// Blocks, with EmptyType or the type of their result.

func Block(typ byte, body ...[]byte) []byte { return Code(Op(0x02, typ), Code(body...), Op(End)) }
func Loop(typ byte, body ...[]byte) []byte  { return Code(Op(0x03, typ), Code(body...), Op(End)) }
func If(typ byte, body ...[]byte) []byte    { return Code(Op(0x04, typ), Code(body...), Op(End)) }
func Br(label uint32) []byte                { return Code(Op(0x0c), U32(label)) }
func BrIf(label uint32) []byte              { return Code(Op(0x0d), U32(label)) }

// BrTable branches to one of labels, or else to the last one.
func BrTable(labels ...uint32) []byte {
	p := Code(Op(0x0e), U32(uint32(len(labels)-1)))
	for _, l := range labels {
		p = append(p, U32(l)...)
	}
	return p
}
