package meter

// What is added comes last among its kind, so that indices stay as they are. The
// one exception are the imported functions: all defined ones come after them.

func (p *parser) fuel() uint32    { return uint32(len(p.globals)) }
func (p *parser) refused() uint32 { return p.fuel() + 1 }
func (p *parser) refill() uint32  { return uint32(p.importedFuncs) }
func (p *parser) ask() uint32     { return p.refill() + 1 } // if p.asks

// shifted returns the new index of a function.
func (p *parser) shifted(i uint32) uint32 {
	switch {
	case i < p.refill():
		return i
	case p.asks:
		return i + 2
	}
	return i + 1
}

// helperIndex returns the index of helper number n.
func (p *parser) helperIndex(n uint32) uint32 { return p.shifted(uint32(len(p.funcs))) + n }

// typeOf returns the index of a type, which is added when first asked for.
func (p *parser) typeOf(signature string) uint32 {
	i, ok := p.addedNumber[signature]
	if !ok {
		i = uint32(len(p.types) + len(p.added))
		p.added = append(p.added, signature)
		if p.addedNumber == nil {
			p.addedNumber = map[string]uint32{}
		}
		p.addedNumber[signature] = i
	}
	return i
}

// assemble returns the metered module. code has the bodies of the functions that
// the original defines.
func (p *parser) assemble(code []byte) []byte {
	imports := []addedImport{{RefillName, p.typeOf(signature("", ""))}}
	if p.asks {
		imports = append(imports, addedImport{GrowName, p.typeOf(p.helperType(helper{op: helperGrow}))})
	}
	var helperTypes []byte
	for _, h := range p.helpers {
		helperTypes = appendU32(helperTypes, p.typeOf(p.helperType(h)))
		code = p.appendHelper(code, h)
	}
	names := p.appendNames(nil)
	data := p.mergeData()
	globals := []valueType{typeI64}
	exports := []Export{{Name: FuelExport, Kind: KindGlobal, Index: p.fuel()}}
	if p.grows() {
		globals = append(globals, typeI32)
		exports = append(exports, Export{Name: RefusedExport, Kind: KindGlobal, Index: p.refused()})
	}
	if p.found[sectionStart].present {
		exports = append(exports, Export{Name: StartExport, Kind: KindFunc, Index: p.shifted(p.startFunc)})
	}

	w := writer{reached: p.reached, wasm: p.wasm, refs: p.funcRefs, clamps: p.clamps, shifted: p.shifted}
	size := 1024 + len(code) + len(names) + len(data)
	for id, s := range p.found {
		if id != sectionCode {
			size += s.end - s.start
		}
	}
	w.out = make([]byte, 0, size)
	w.out = append(w.out, preamble...)
	for _, id := range sectionOrder {
		s := p.found[id]
		switch id {
		case sectionType:
			w.items(s, len(p.added))
			for _, signature := range p.added {
				w.content = append(w.content, signature...)
			}
		case sectionImport:
			w.items(s, len(imports))
			for _, i := range imports {
				w.content = appendName(appendName(w.content, RefillModule), i.name)
				w.content = appendU32(append(w.content, byte(KindFunc)), i.typ)
			}
		case sectionFunction:
			w.items(s, len(p.helpers))
			w.content = append(w.content, helperTypes...)
		case sectionGlobal:
			w.items(s, len(globals))
			for _, t := range globals {
				w.content = append(w.content, byte(t), 1)
				w.content = append(w.content, zero[t]...)
			}
		case sectionExport:
			w.items(s, len(exports))
			for _, e := range exports {
				w.content = append(appendName(w.content, e.Name), byte(e.Kind))
				w.content = appendU32(w.content, e.Index)
			}
		case sectionStart: // became an export
		case sectionCode:
			w.content = appendU32(w.content, uint32(s.count+len(p.helpers)))
			w.section(id, w.content, code)
			w.content = w.content[:0]
			continue
		case sectionDataCount:
			if data == nil { // else it would be for code that uses segments
				w.copy(s.start, s.end)
			}
		case sectionData:
			if data == nil {
				w.copy(s.start, s.end)
			} else {
				w.content = append(w.content, data...)
			}
		default:
			w.copy(s.start, s.end)
		}
		w.section(id, w.content)
		w.content = w.content[:0]
	}
	return append(w.out, names...)
}

// An addedImport is a function that the host has for us.
type addedImport struct {
	name string
	typ  uint32
}

// grows reports whether there is a global for what memory.grow is refused.
func (p *parser) grows() bool {
	_, ok := p.helperNumber[helper{op: helperGrow}]
	return ok
}

// zero is what the globals that are added have at first.
var zero = map[valueType][]byte{typeI32: {opI32Const, 0, opEnd}, typeI64: {opI64Const, 0, opEnd}}

// A writer copies sections from one module into another.
type writer struct {
	out     []byte
	content []byte // of the section being written
	wasm    []byte
	refs    []uint32 // offsets of the function indices yet to come
	clamps  []clamp  // limits yet to come
	shifted func(uint32) uint32
	reached func(offset int)
}

// section writes a section, but for those that would be empty.
func (w *writer) section(id byte, content ...[]byte) {
	size := 0
	for _, p := range content {
		size += len(p)
	}
	if size == 0 {
		return
	}
	w.out = appendU32(append(w.out, id), uint32(size))
	for _, p := range content {
		w.out = append(w.out, p...)
	}
}

// items copies the items of a section that is to have more of them.
func (w *writer) items(s section, more int) {
	w.content = appendU32(w.content, uint32(s.count+more))
	w.copy(s.items, s.end)
}

// copy copies a part of the original, with what has to be changed in it.
func (w *writer) copy(from, to int) {
	for len(w.clamps) > 0 && w.clamps[0].start < to {
		c := w.clamps[0]
		w.clamps = w.clamps[1:]
		w.content = append(w.content, w.wasm[from:c.start]...)
		w.content = appendU32(appendU32(append(w.content, 1), c.to.Min), c.to.Max)
		from = c.end
	}
	for len(w.refs) > 0 && int(w.refs[0]) < to {
		r := reader{p: w.wasm, i: int(w.refs[0])}
		w.refs = w.refs[1:]
		w.content = append(w.content, w.wasm[from:r.i]...)
		w.content = appendU32(w.content, w.shifted(r.u32()))
		w.reached(r.i)
		from = r.i
	}
	w.content = append(w.content, w.wasm[from:to]...)
}

// appendName appends bytes with their number before them.
func appendName(dst []byte, name string) []byte {
	return append(appendU32(dst, uint32(len(name))), name...)
}
