package meter

import "math"

// misc reads what follows the prefix 0xfc: conversions, and instructions that
// work in bulk and become calls of helpers unless they are known to be short.
func (s *scan) misc(at int) {
	sub := s.u32()
	if s.err != nil {
		return
	}
	switch sub {
	case 0, 1, 2, 3, 4, 5, 6, 7: // saturating conversions
		s.pay(at, costPlain)
	case miscMemoryInit:
		i := s.dataIndex()
		s.memoryIndex(&s.reader)
		s.bulk(at, helper{op: helperInit, a: i}, bytesPerUnitLog2, size(s.dataSizes, i))
	case miscDataDrop:
		s.pay(at, costPlain)
		s.dataIndex()
	case miscMemoryCopy:
		s.memoryIndex(&s.reader)
		s.memoryIndex(&s.reader)
		s.bulk(at, helper{op: helperCopy}, bytesPerUnitLog2, math.MaxUint32)
	case miscMemoryFill:
		s.memoryIndex(&s.reader)
		s.bulk(at, helper{op: helperFill}, bytesPerUnitLog2, math.MaxUint32)
	case miscTableInit:
		i := s.elemIndex()
		t := s.tableIndex(&s.reader)
		s.bulk(at, helper{op: helperTableInit, a: i, b: t}, 0, size(s.elemSizes, i))
	case miscElemDrop:
		s.pay(at, costPlain)
		s.elemIndex()
	case miscTableCopy:
		to, from := s.tableIndex(&s.reader), s.tableIndex(&s.reader)
		s.bulk(at, helper{op: helperTableCopy, a: to, b: from}, 0, math.MaxUint32)
	case miscTableGrow:
		t := s.tableIndex(&s.reader)
		s.bulk(at, helper{op: helperTableGrow, a: t}, 0, math.MaxUint32)
	case miscTableSize:
		s.pay(at, costPlain)
		s.tableIndex(&s.reader)
	case miscTableFill:
		t := s.tableIndex(&s.reader)
		s.bulk(at, helper{op: helperTableFill, a: t}, 0, math.MaxUint32)
	default:
		s.failAt(at, ErrUnsupported, "opcode 0xfc "+hex(sub))
	}
}

// bulk notes an instruction that works on as many bytes or entries as its last
// operand says, unless that is known to be few: an instruction that asks for
// more than most, which is all there is, traps.
func (s *scan) bulk(at int, h helper, perUnitLog2 int, most uint32) {
	n := most
	if s.constantEnd == at {
		n = min(n, s.constant)
	}
	if units := n >> perUnitLog2; units <= smallBulk {
		s.pay(at, costCall+units)
		return
	}
	s.pay(at, costCall)
	s.call(editHelper, at, s.helper(h))
}

// size returns element i, or 0 where a failed reader made i up.
func size(sizes []uint32, i uint32) uint32 {
	if int(i) < len(sizes) {
		return sizes[i]
	}
	return 0
}

func (s *scan) dataIndex() uint32 {
	if !s.found[sectionDataCount].present {
		s.fail(ErrMalformed, "a data segment is used in code, without a data count")
	}
	s.dataUsed = true
	return s.index("data segment", len(s.dataSizes))
}

func (s *scan) elemIndex() uint32 { return s.index("element segment", len(s.elemSizes)) }
