package meter

// Element and data segments, and the constant expressions in them
// (WebAssembly Core 2.0, sections 5.5.12, 5.5.14 and 3.3.10).

// Bits of what begins a segment.
const (
	segmentPassive  = 1 // or declarative, if it is an element segment with the next bit
	segmentExplicit = 2 // names its table or memory; without it that is the first
	segmentExprs    = 4 // entries are expressions
)

// maxElements is how many entries all element segments may have together: a module
// has four times fewer functions, and for each entry we note a place.
const maxElements = 1 << 20

func (p *parser) elem(r *reader) {
	at := r.i
	flags := r.u32()
	if r.err == nil && flags > 7 {
		r.failAt(at, ErrMalformed, "an element segment of kind "+hex(flags))
	}
	if flags&segmentPassive == 0 {
		if flags&segmentExplicit != 0 {
			p.tableIndex(r)
		} else if r.err == nil && len(p.m.Tables) == 0 {
			r.failAt(at, ErrMalformed, "there is no table")
		}
		p.constant(r)
	}
	if flags&(segmentPassive|segmentExplicit) != 0 {
		at := r.i
		if flags&segmentExprs != 0 {
			r.referenceType()
		} else if kind := r.byte(); kind != 0 {
			r.failAt(at, ErrMalformed, "an element segment of elements of kind "+hex(uint32(kind)))
		}
	}
	item := func(r *reader) { p.funcIndex(r) }
	if flags&segmentExprs != 0 {
		item = p.constant
	}
	n := r.count("elements", maxElements)
	if p.elements += n; p.elements > maxElements {
		r.failAt(at, ErrLimit, "more than "+utoa(maxElements)+" elements in all segments")
	}
	for i := 0; i < n && r.err == nil; i++ {
		item(r)
		p.reached(r.i)
	}
	p.elemSizes = append(p.elemSizes, uint32(n))
}

func (p *parser) dataSegment(r *reader) {
	at := r.i
	flags := r.u32()
	if r.err == nil && flags > 2 {
		r.failAt(at, ErrMalformed, "a data segment of kind "+hex(flags))
	}
	if flags&segmentExplicit != 0 {
		p.memoryIndex(r)
	} else if flags == 0 && r.err == nil && !p.m.HasMemory {
		r.failAt(at, ErrMalformed, "there is no memory")
	}
	var offset uint32
	var known bool
	if flags&segmentPassive == 0 {
		offset, known = p.offset(r)
	}
	n := r.u32()
	bytes := r.sub(n)
	p.dataSizes = append(p.dataSizes, n)
	if known && bytes.err == nil {
		p.data = append(p.data, datum{offset, extent{bytes.i, len(bytes.p)}})
	}
}

// offset reads a constant expression, and tells the value of one that is a
// number of 32 bits.
func (p *parser) offset(r *reader) (value uint32, known bool) {
	n := *r
	p.constant(r)
	known = n.byte() == opI32Const
	return uint32(n.s32()), known
}

// constant reads a constant expression.
func (p *parser) constant(r *reader) {
	at := r.i
	switch op := r.byte(); op {
	case opI32Const:
		r.s32()
	case opI64Const:
		r.s64()
	case opF32Const:
		r.skip(4)
	case opF64Const:
		r.skip(8)
	case opSIMD:
		if r.u32() != simdConst {
			r.failAt(at, ErrMalformed, "not a constant")
		}
		r.skip(16)
	case opGlobalGet:
		r.index("imported global", p.imported)
	case opRefNull:
		r.referenceType()
	case opRefFunc:
		p.funcIndex(r)
	default:
		r.failAt(at, ErrMalformed, "not a constant: opcode "+hex(uint32(op)))
	}
	at = r.i
	if op := r.byte(); r.err == nil && op != opEnd {
		r.failAt(at, ErrUnsupported, "extended constant expressions (opcode "+hex(uint32(op))+")")
	}
}
