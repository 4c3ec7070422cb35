package meter

import "strconv"

// Section ids (WebAssembly Core 2.0, section 5.5.2).
const (
	sectionCustom = iota
	sectionType
	sectionImport
	sectionFunction
	sectionTable
	sectionMemory
	sectionGlobal
	sectionExport
	sectionStart
	sectionElem
	sectionCode
	sectionData
	sectionDataCount
	sectionTag // of exception handling
)

// sectionOrder has all but the custom sections in the order they must come in.
var sectionOrder = [...]byte{
	sectionType, sectionImport, sectionFunction, sectionTable, sectionMemory, sectionGlobal, sectionExport,
	sectionStart, sectionElem, sectionDataCount, sectionCode, sectionData,
}

// A section is where one is in the module. Its content is a count and so many
// items, but for the start section and the data count, which are a number.
type section struct {
	present    bool
	start, end int // of its content, as offsets
	count      int // how many items, or the number
	items      int // offset behind the count
}

const preamble = "\x00asm\x01\x00\x00\x00"

// module reads everything but the code, which can only be understood when all
// else is known.
func (p *parser) module() *Error {
	wasm := p.wasm
	if len(wasm) > p.c.MaxModuleSize {
		return &Error{0, -1, "", "a module of " + strconv.Itoa(len(wasm)) + " bytes, at most " +
			strconv.Itoa(p.c.MaxModuleSize) + " are allowed", ErrLimit}
	}
	if len(wasm) < len(preamble) || string(wasm[:4]) != preamble[:4] {
		return &Error{0, -1, "", "not a WebAssembly module", ErrMalformed}
	}
	if string(wasm[:len(preamble)]) != preamble {
		return &Error{4, -1, "", "not a module of version 1 (a component?)", ErrUnsupported}
	}
	next := 0 // in sectionOrder
	for r := (reader{p: wasm, i: len(preamble)}); !r.done(); {
		at := r.i
		id := r.byte()
		s := r.sub(r.u32())
		if s.err != nil {
			return s.err
		}
		if id == sectionCustom {
			p.custom(&s)
		} else {
			for next < len(sectionOrder) && sectionOrder[next] != id {
				next++
			}
			if next == len(sectionOrder) {
				return p.misplaced(at, id)
			}
			next++
			p.section(id, &s)
		}
		if s.err != nil {
			return s.err
		}
	}
	return p.agree(len(wasm))
}

// misplaced says what is wrong with a section that may not come now.
func (p *parser) misplaced(at int, id byte) *Error {
	number := strconv.Itoa(int(id))
	switch {
	case id == sectionTag:
		return &Error{at, -1, "", "exception handling (tag section)", ErrUnsupported}
	case id > sectionTag:
		return &Error{at, -1, "", "section " + number, ErrUnsupported}
	case p.found[id].present:
		return &Error{at, -1, "", "a second section " + number, ErrMalformed}
	}
	return &Error{at, -1, "", "section " + number + " comes too late", ErrMalformed}
}

// section reads the content of a section that is not a custom one.
func (p *parser) section(id byte, r *reader) {
	s := &p.found[id]
	*s = section{present: true, start: r.i, end: len(r.p)}
	var item func(*reader)
	switch id {
	case sectionType:
		s.count, item = r.count("types", p.c.MaxTypes), p.funcType
	case sectionImport:
		s.count, item = r.count("imports", p.c.MaxImports), p.importItem
	case sectionFunction:
		s.count, item = r.count("functions", p.c.MaxFunctions), p.function
	case sectionTable:
		s.count, item = r.count("tables", p.c.MaxTables), p.table
	case sectionMemory:
		s.count, item = r.count("memories", 1<<16), p.memory
	case sectionGlobal:
		s.count, item = r.count("globals", p.c.MaxGlobals), p.global
	case sectionExport:
		s.count, item = r.count("exports", p.c.MaxExports), p.export
	case sectionStart:
		p.start(r)
	case sectionElem:
		s.count, item = r.count("element segments", p.c.MaxSegments), p.elem
	case sectionDataCount:
		s.count = int(r.u32())
	case sectionCode:
		s.count, item = r.count("function bodies", p.c.MaxFunctions), p.body
	case sectionData:
		s.count, item = r.count("data segments", p.c.MaxSegments), p.dataSegment
	}
	s.items = r.i
	if item != nil {
		for n := s.count; n > 0 && r.err == nil; n-- {
			item(r)
			p.reached(r.i)
		}
	}
	if r.err == nil && !r.done() {
		r.fail(ErrMalformed, "section "+strconv.Itoa(int(id))+" is longer than what it holds")
	}
}

// agree checks what sections say about each other. size is the module's.
func (p *parser) agree(size int) *Error {
	end := reader{i: size}
	if len(p.bodies) != p.found[sectionFunction].count {
		end.fail(ErrMalformed, strconv.Itoa(p.found[sectionFunction].count)+" functions are declared, "+
			strconv.Itoa(len(p.bodies))+" have a body")
	}
	if n := p.found[sectionDataCount]; n.present && n.count != len(p.dataSizes) {
		end.fail(ErrMalformed, "the data count is not the number of data segments")
	}
	return end.err
}
