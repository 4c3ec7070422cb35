package metertest

import "strings"

// A Module is a module being built. The zero value is empty. Signatures and
// types are written as in meter.Import: "(i32,i64)->i32", "()->()".
type Module struct {
	types    []string // signatures
	imports  section
	funcs    section
	tables   section
	memories section
	globals  section
	exports  section
	start    []byte
	elems    section
	code     section
	data     section
	customs  []byte

	importedFuncs, importedGlobals uint32
}

// A section is so many items.
type section struct {
	count uint32
	items []byte
}

func (s *section) add(parts ...[]byte) (index uint32) {
	s.items = append(s.items, Code(parts...)...)
	s.count++
	return s.count - 1
}

// Type returns the index of a signature.
func (m *Module) Type(signature string) uint32 {
	for i, s := range m.types {
		if s == signature {
			return uint32(i)
		}
	}
	m.types = append(m.types, signature)
	return uint32(len(m.types) - 1)
}

// Import adds an imported function, before any Func, and returns its index.
func (m *Module) Import(module, name, signature string) uint32 {
	m.imports.add(Name(module), Name(name), []byte{0}, U32(m.Type(signature)))
	m.importedFuncs++
	return m.importedFuncs - 1
}

// ImportGlobal adds an imported constant, before any Global, and returns its
// index.
func (m *Module) ImportGlobal(module, name, typ string) uint32 {
	m.imports.add(Name(module), Name(name), []byte{3, valueType(typ), 0})
	m.importedGlobals++
	return m.importedGlobals - 1
}

// ImportMemory adds an imported memory of at least min pages.
func (m *Module) ImportMemory(module, name string, min uint32) {
	m.imports.add(Name(module), Name(name), []byte{2}, limits(min, 0))
}

// Func adds a function and returns its index. locals are like "i32,i32,i64"; the
// body's end is added.
func (m *Module) Func(signature, locals string, body ...[]byte) uint32 {
	var declared section
	for _, t := range valueTypes(locals) {
		declared.add([]byte{1, t})
	}
	b := Code(U32(declared.count), declared.items, Code(body...), []byte{End})
	m.code.add(U32(uint32(len(b))), b)
	return m.importedFuncs + m.funcs.add(U32(m.Type(signature)))
}

// Export exports a function.
func (m *Module) Export(name string, f uint32) { m.exports.add(Name(name), []byte{0}, U32(f)) }

// ExportMemory exports the memory.
func (m *Module) ExportMemory(name string) { m.exports.add(Name(name), []byte{2, 0}) }

// ExportGlobal exports a global.
func (m *Module) ExportGlobal(name string, g uint32) { m.exports.add(Name(name), []byte{3}, U32(g)) }

// Memory adds a memory with limits in pages. max 0 means none.
func (m *Module) Memory(min, max uint32) { m.memories.add(limits(min, max)) }

// Table adds a table of functions and returns its index. max 0 means none.
func (m *Module) Table(min, max uint32) uint32 { return m.tables.add([]byte{0x70}, limits(min, max)) }

func limits(min, max uint32) []byte {
	if max == 0 {
		return Code([]byte{0}, U32(min))
	}
	return Code([]byte{1}, U32(min), U32(max))
}

// Global adds a mutable global and returns its index. value is an instruction.
func (m *Module) Global(typ string, value []byte) uint32 {
	return m.importedGlobals + m.globals.add([]byte{valueType(typ), 1}, value, []byte{End})
}

// Start makes f the start function.
func (m *Module) Start(f uint32) { m.start = U32(f) }

// Elem puts functions into table 0 and returns the segment's index.
func (m *Module) Elem(offset int32, funcs ...uint32) uint32 {
	return m.elems.add([]byte{0}, I32(offset), []byte{End}, indices(funcs))
}

// PassiveElem adds a segment for table.init and returns its index.
func (m *Module) PassiveElem(funcs ...uint32) uint32 {
	return m.elems.add([]byte{1, 0}, indices(funcs))
}

func indices(funcs []uint32) []byte {
	var s section
	for _, f := range funcs {
		s.add(U32(f))
	}
	return Code(U32(s.count), s.items)
}

// Data puts bytes into the memory.
func (m *Module) Data(offset int32, p []byte) uint32 {
	return m.data.add([]byte{0}, I32(offset), []byte{End}, U32(uint32(len(p))), p)
}

// PassiveData adds a segment for memory.init and returns its index.
func (m *Module) PassiveData(p []byte) uint32 {
	return m.data.add([]byte{1}, U32(uint32(len(p))), p)
}

// Custom adds a custom section at the end.
func (m *Module) Custom(name string, content []byte) {
	m.customs = append(m.customs, Section(0, Name(name), content)...)
}

// FunctionNames adds a name section, with names for functions from index 0 on.
func (m *Module) FunctionNames(names ...string) {
	var s section
	for i, name := range names {
		s.add(U32(uint32(i)), Name(name))
	}
	m.Custom("name", Section(1, U32(s.count), s.items))
}

// Bytes returns the module.
func (m *Module) Bytes() []byte {
	var types section
	for _, signature := range m.types {
		params, results, _ := strings.Cut(signature, "->")
		p, r := valueTypes(params), valueTypes(results)
		types.add([]byte{0x60}, U32(uint32(len(p))), p, U32(uint32(len(r))), r)
	}
	out := []byte("\x00asm\x01\x00\x00\x00")
	items := func(id byte, s section) {
		if s.count > 0 {
			out = append(out, Section(id, U32(s.count), s.items)...)
		}
	}
	items(1, types)
	items(2, m.imports)
	items(3, m.funcs)
	items(4, m.tables)
	items(5, m.memories)
	items(6, m.globals)
	items(7, m.exports)
	if m.start != nil {
		out = append(out, Section(8, m.start)...)
	}
	items(9, m.elems)
	if m.data.count > 0 {
		out = append(out, Section(12, U32(m.data.count))...)
	}
	items(10, m.code)
	items(11, m.data)
	return append(out, m.customs...)
}

// Section returns a section: an id, a size and the content.
func Section(id byte, content ...[]byte) []byte {
	c := Code(content...)
	return Code([]byte{id}, U32(uint32(len(c))), c)
}

func valueTypes(list string) []byte {
	var types []byte
	for t := range strings.SplitSeq(strings.Trim(list, "()"), ",") {
		if t != "" {
			types = append(types, valueType(t))
		}
	}
	return types
}

func valueType(name string) byte {
	return map[string]byte{
		"i32": 0x7f, "i64": 0x7e, "f32": 0x7d, "f64": 0x7c, "v128": 0x7b, "funcref": 0x70, "externref": 0x6f,
	}[name]
}
