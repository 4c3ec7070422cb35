package meter

import "strconv"

// What sections hold, item by item (WebAssembly Core 2.0, section 5.5).

// maxNamed is how many parameters and results all types may have together. Browsers
// take long for more, and real modules have some thousands.
const maxNamed = 1 << 18

func (p *parser) funcType(r *reader) {
	at := r.i
	t := r.funcType()
	p.types = append(p.types, t)
	if p.named += len(t.params) + len(t.results); p.named > maxNamed {
		r.failAt(at, ErrLimit, "more than "+utoa(maxNamed)+" parameters and results in all types")
	}
}

func (p *parser) importItem(r *reader) {
	at := r.i
	i := Import{Module: string(r.name()), Name: string(r.name())}
	if r.err == nil && i.Module == RefillModule {
		r.failAt(at, ErrReserved, "an import from "+strconv.Quote(RefillModule))
	}
	at = r.i
	kind := r.byte()
	switch i.Kind = Kind(kind); {
	case r.err != nil:
	case i.Kind == KindFunc:
		t := p.typeIndex(r)
		if r.err != nil {
			return
		}
		p.funcs = append(p.funcs, t)
		p.importedFuncs++
		i.Type = p.types[t].String()
	case i.Kind == KindTable:
		i.Type = p.tableType(r, false)
	case i.Kind == KindMemory:
		p.memoryType(r, false)
	case i.Kind == KindGlobal:
		i.Type = p.globalType(r)
		p.imported++
	case kind == 4:
		r.failAt(at, ErrUnsupported, "exception handling (an imported tag)")
	default:
		r.failAt(at, ErrUnsupported, "an import of kind "+strconv.Itoa(int(kind)))
	}
	p.m.Imports = append(p.m.Imports, i)
}

func (p *parser) function(r *reader) {
	p.funcs = append(p.funcs, p.typeIndex(r))
}

func (p *parser) table(r *reader) { p.tableType(r, true) }

// tableType reads a table, which is ours to limit if the module defines it.
func (p *parser) tableType(r *reader, defined bool) string {
	at := r.i
	if r.left() > 0 && r.p[r.i] == 0x40 {
		r.fail(ErrUnsupported, "typed function references (a table with an initial value)")
		return ""
	}
	t := r.referenceType().String()
	if r.err == nil && len(p.m.Tables) == p.c.MaxTables {
		r.failAt(at, ErrLimit, "more than "+strconv.Itoa(p.c.MaxTables)+" tables")
	}
	l := p.limits(r, "table", uint32(p.c.MaxTableEntries), defined)
	p.m.Tables = append(p.m.Tables, Table{l, t})
	return t
}

func (p *parser) memory(r *reader) { p.memoryType(r, true) }

func (p *parser) memoryType(r *reader, defined bool) {
	if p.m.HasMemory {
		r.fail(ErrUnsupported, "multiple memories")
		return
	}
	p.m.HasMemory = true
	at := r.i
	p.m.Memory = p.limits(r, "memory", uint32(p.c.MaxMemoryPages), defined)
	if r.err == nil && (p.m.Memory.Min > maxPages || p.m.Memory.Max > maxPages) {
		r.failAt(at, ErrMalformed, "a memory of more than 65536 pages")
	}
}

// limits reads limits, and notes it if most should be the maximum instead.
func (p *parser) limits(r *reader, what string, most uint32, defined bool) Limits {
	at := r.i
	flags := r.byte()
	var l Limits
	switch {
	case flags <= 1:
		l.HasMax = flags == 1
	case flags <= 3:
		r.failAt(at, ErrUnsupported, "threads (a shared "+what+")")
	case flags <= 7:
		r.failAt(at, ErrUnsupported, "memory64 (a "+what+" with 64-bit indices)")
	default:
		r.failAt(at, ErrUnsupported, "a "+what+" with limits of kind "+hex(uint32(flags)))
	}
	l.Min = r.u32()
	if l.HasMax {
		l.Max = r.u32()
	}
	switch {
	case r.err != nil:
	case l.HasMax && l.Max < l.Min:
		r.failAt(at, ErrMalformed, "a "+what+" whose maximum is below its minimum")
	case l.Min > most:
		r.failAt(at, ErrLimit, "a "+what+" of "+utoa(l.Min)+", at most "+utoa(most)+" are allowed")
	case defined && (!l.HasMax && (what == "table" || most < maxPages) || l.Max > most):
		p.clamps = append(p.clamps, clamp{extent{at, r.i}, Limits{l.Min, most, true}})
	}
	return l
}

func (p *parser) global(r *reader) {
	p.globalType(r)
	p.constant(r)
}

func (p *parser) globalType(r *reader) string {
	t := globalType{value: r.valueType()}
	at := r.i
	mutable := r.byte()
	if mutable > 1 {
		r.failAt(at, ErrMalformed, "a global of mutability "+hex(uint32(mutable)))
	}
	t.mutable = mutable == 1
	p.globals = append(p.globals, t)
	return t.String()
}

func (p *parser) export(r *reader) {
	at := r.i
	e := Export{Name: string(r.name())}
	switch e.Name {
	case FuelExport, RefusedExport, StartExport:
		r.failAt(at, ErrReserved, "an export called "+strconv.Quote(e.Name))
	}
	at = r.i
	kind := r.byte()
	switch e.Kind = Kind(kind); {
	case r.err != nil:
	case e.Kind == KindFunc:
		if e.Index = p.funcIndex(r); r.err == nil {
			e.Type = p.types[p.funcs[e.Index]].String()
		}
	case e.Kind == KindTable:
		if e.Index = p.tableIndex(r); r.err == nil {
			e.Type = p.m.Tables[e.Index].Type
		}
	case e.Kind == KindMemory:
		e.Index = p.memoryIndex(r)
	case e.Kind == KindGlobal:
		if e.Index = p.globalIndex(r); r.err == nil {
			e.Type = p.globals[e.Index].String()
		}
	case kind == 4:
		r.failAt(at, ErrUnsupported, "exception handling (an exported tag)")
	default:
		r.failAt(at, ErrMalformed, "an export of kind "+strconv.Itoa(int(kind)))
	}
	p.m.Exports = append(p.m.Exports, e)
}

// start reads the start section, of which an export is made: what it asks of the
// function's type no engine checks then.
func (p *parser) start(r *reader) {
	at := r.i
	p.startFunc = r.index("function", len(p.funcs))
	if r.err != nil {
		return
	}
	if t := p.types[p.funcs[p.startFunc]]; len(t.params)+len(t.results) > 0 {
		r.failAt(at, ErrMalformed, "a start function of type "+t.String())
	}
}

// body notes where a function's code is; code.go reads it.
func (p *parser) body(r *reader) {
	at := r.i
	n := r.u32()
	if uint64(n) > uint64(p.c.MaxBodySize) {
		r.failAt(at, ErrLimit, "a function of "+utoa(n)+" bytes, at most "+strconv.Itoa(p.c.MaxBodySize)+" are allowed")
	}
	b := r.sub(n)
	p.bodies = append(p.bodies, extent{b.i, len(b.p)})
}

// memoryIndex reads the index of the memory, which can only be zero.
func (p *parser) memoryIndex(r *reader) uint32 {
	at := r.i
	i := r.u32()
	switch {
	case r.err != nil:
	case !p.m.HasMemory:
		r.failAt(at, ErrMalformed, "there is no memory")
	case i != 0:
		r.failAt(at, ErrUnsupported, "multiple memories")
	}
	return 0
}

func utoa(v uint32) string { return strconv.FormatUint(uint64(v), 10) }
