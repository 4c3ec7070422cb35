package meter

// A valueType is a type by its byte in the binary format (section 5.3.1).
type valueType byte

const (
	typeI32       valueType = 0x7f
	typeI64       valueType = 0x7e
	typeF32       valueType = 0x7d
	typeF64       valueType = 0x7c
	typeV128      valueType = 0x7b
	typeFuncref   valueType = 0x70
	typeExternref valueType = 0x6f

	typeFunc  = 0x60 // begins a function type
	typeEmpty = 0x40 // the type of a block that takes and leaves nothing
)

// String returns the type as it is written, or "" if it is not allowed.
func (t valueType) String() string {
	switch t {
	case typeI32:
		return "i32"
	case typeI64:
		return "i64"
	case typeF32:
		return "f32"
	case typeF64:
		return "f64"
	case typeV128:
		return "v128"
	case typeFuncref:
		return "funcref"
	case typeExternref:
		return "externref"
	}
	return ""
}

func (t valueType) reference() bool { return t == typeFuncref || t == typeExternref }

// foreignType says which proposal a type belongs to that is not allowed.
func foreignType(t byte) string {
	switch {
	case t == 0x69 || t == 0x74:
		return "exception handling (exnref)"
	case t == 0x63 || t == 0x64:
		return "typed function references"
	case 0x6a <= t && t <= 0x73, t == 0x78, t == 0x77, t == 0x5e, t == 0x5f, t == 0x50, t == 0x4f, t == 0x4e:
		return "garbage collection (type " + hex(uint32(t)) + ")"
	}
	return "type " + hex(uint32(t))
}

// valueType reads a type of a local, parameter, result or global.
func (r *reader) valueType() valueType {
	at := r.i
	t := valueType(r.byte())
	if r.err == nil && t.String() == "" {
		r.failAt(at, ErrUnsupported, foreignType(byte(t)))
	}
	return t
}

// referenceType reads a type of a table's entries.
func (r *reader) referenceType() valueType {
	at := r.i
	t := r.valueType()
	if r.err == nil && !t.reference() {
		r.failAt(at, ErrMalformed, "a table of "+t.String())
	}
	return t
}

// A funcType is a signature. Its parts alias the module.
type funcType struct {
	params, results []byte // valueTypes
}

// maxArity bounds parameters and results, as browsers do.
const maxArity = 1000

func (r *reader) funcType() funcType {
	at := r.i
	if form := r.byte(); r.err == nil && form != typeFunc {
		r.failAt(at, ErrUnsupported, foreignType(form))
	}
	return funcType{params: r.valueTypes("parameters"), results: r.valueTypes("results")}
}

func (r *reader) valueTypes(what string) []byte {
	n := r.count(what, maxArity)
	start := r.i
	for range n {
		r.valueType()
	}
	if r.err != nil {
		return nil
	}
	return r.p[start:r.i]
}

// String returns the signature as in [Import.Type].
func (t funcType) String() string {
	s := appendTypes([]byte{'('}, t.params)
	s = append(s, ")->"...)
	if len(t.results) == 1 {
		return string(appendTypes(s, t.results))
	}
	s = appendTypes(append(s, '('), t.results)
	return string(append(s, ')'))
}

func appendTypes(s, types []byte) []byte {
	for i, t := range types {
		if i > 0 {
			s = append(s, ',')
		}
		s = append(s, valueType(t).String()...)
	}
	return s
}

const hexDigits = "0123456789abcdef"

// hex writes v with as many digits as opcodes have: 0x0a, 0x101.
func hex(v uint32) string {
	s := []byte{hexDigits[v>>4&15], hexDigits[v&15]}
	for v >>= 8; v > 0; v >>= 4 {
		s = append([]byte{hexDigits[v&15]}, s...)
	}
	return "0x" + string(s)
}
