package meter

// An asm writes code into functions: charges, and the bodies of helpers.
type asm struct {
	code   []byte
	fuel   uint32 // index of the global that has it
	refill uint32 // index of the function that asks for more fuel
}

// Opcodes that only what is added needs.
const (
	opI32Eqz     = 0x45
	opI32Ne      = 0x47
	opI32LtU     = 0x49
	opI32LeU     = 0x4d
	opI64LtU     = 0x54
	opI64LeU     = 0x58
	opI64GeS     = 0x59
	opI32Add     = 0x6a
	opI32Sub     = 0x6b
	opI64Add     = 0x7c
	opI64Sub     = 0x7d
	opI64Shl     = 0x86
	opI64ShrU    = 0x88
	opI64ExtendU = 0xad // i64.extend_i32_u
)

func (a *asm) op(code ...byte)         { a.code = append(a.code, code...) }
func (a *asm) index(op byte, i uint32) { a.code = appendU32(append(a.code, op), i) }
func (a *asm) get(local uint32)        { a.index(opLocalGet, local) }
func (a *asm) set(local uint32)        { a.index(opLocalSet, local) }
func (a *asm) i32(v int64)             { a.code = appendS64(append(a.code, opI32Const), v) }
func (a *asm) i64(v int64)             { a.code = appendS64(append(a.code, opI64Const), v) }

func (a *asm) misc(sub byte, indices ...uint32) {
	a.op(opMisc, sub)
	for _, i := range indices {
		a.code = appendU32(a.code, i)
	}
}

// declare begins a body that has locals of these types beside its parameters.
func (a *asm) declare(types ...valueType) {
	a.code = appendU32(a.code, uint32(len(types)))
	for _, t := range types {
		a.op(1, byte(t))
	}
}

// charge takes a constant from the fuel.
func (a *asm) charge(units uint32) {
	a.index(opGlobalGet, a.fuel)
	a.i64(int64(units))
	a.op(opI64Sub)
	a.index(opGlobalSet, a.fuel)
}

// check asks for more fuel if there is less than none.
func (a *asm) check() {
	a.index(opGlobalGet, a.fuel)
	a.i64(0)
	a.op(opI64GeS, opIf, typeEmpty, opElse)
	a.index(opCall, a.refill)
	a.op(opEnd)
}

// chargeLocal is charge where a local has the fuel.
func (a *asm) chargeLocal(local, units uint32) {
	a.get(local)
	a.i64(int64(units))
	a.op(opI64Sub)
	a.set(local)
}

// checkLocal is check where a local has the fuel. helper is the index of
// helperRefill.
func (a *asm) checkLocal(local, helper uint32) {
	a.get(local)
	a.i64(0)
	a.op(opI64GeS, opIf, typeEmpty, opElse)
	a.get(local)
	a.index(opCall, helper)
	a.set(local)
	a.op(opEnd)
}

func appendU32(dst []byte, v uint32) []byte {
	for ; v >= 0x80; v >>= 7 {
		dst = append(dst, byte(v)|0x80)
	}
	return append(dst, byte(v))
}

func appendS64(dst []byte, v int64) []byte {
	for ; v < -0x40 || v >= 0x40; v >>= 7 {
		dst = append(dst, byte(v)|0x80)
	}
	return append(dst, byte(v&0x7f))
}
