//go:build wasmtime

package wasmtime

import (
	"math"

	"github.com/bytecodealliance/wasmtime-go/v39"
)

// bits returns a number of the type that an engine.Func's letter names, in the
// low bits.
func bits(letter byte, v wasmtime.Val) uint64 {
	switch letter {
	case 'i':
		return uint64(uint32(v.I32()))
	case 'I':
		return uint64(v.I64())
	case 'f':
		return uint64(math.Float32bits(v.F32()))
	}
	return math.Float64bits(v.F64())
}

// value is the inverse of bits.
func value(letter byte, bits uint64) wasmtime.Val {
	switch letter {
	case 'i':
		return wasmtime.ValI32(int32(bits))
	case 'I':
		return wasmtime.ValI64(int64(bits))
	case 'f':
		return wasmtime.ValF32(math.Float32frombits(uint32(bits)))
	}
	return wasmtime.ValF64(math.Float64frombits(bits))
}
