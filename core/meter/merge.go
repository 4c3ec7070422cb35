package meter

import (
	"cmp"
	"slices"
)

// maxGap is how many zeros are written between two pieces of data rather than
// begin another segment: to set one up costs an engine more than to copy them.
const maxGap = 64

// A datum is what an active data segment puts at a constant offset.
type datum struct {
	offset uint32
	extent
}

// mergeData makes few data segments of many, in ascending order, and returns the
// content of the data section. Go's linker leaves zeros out and so makes up to
// 100,000 of them, each of which is work at every start of a guest. It returns
// nil if segments have to stay as they are: code uses them, one writes over
// another, or the offset of one or what lies between them is not known.
func (p *parser) mergeData() []byte {
	owned := p.found[sectionMemory].count > 0 // and so zero at first
	if p.dataUsed || !owned || len(p.data) == 0 || len(p.data) < len(p.dataSizes) {
		return nil
	}
	slices.SortFunc(p.data, func(a, b datum) int {
		return cmp.Or(cmp.Compare(a.offset, b.offset), cmp.Compare(a.start, b.start))
	})
	var items []byte
	count := uint32(0)
	for rest := p.data; len(rest) > 0; count++ {
		first, end := rest[0], rest[0].limit()
		n := 1
		for ; n < len(rest) && uint64(rest[n].offset) <= end+maxGap; n++ {
			if uint64(rest[n].offset) < end {
				return nil
			}
			end = rest[n].limit()
		}
		items = append(items, 0, opI32Const)
		items = append(appendS64(items, int64(int32(first.offset))), opEnd)
		items = appendU32(items, uint32(end-uint64(first.offset)))
		at := uint64(first.offset)
		for _, d := range rest[:n] {
			items = append(items, zeros[:uint64(d.offset)-at]...)
			items = append(items, p.wasm[d.start:d.end]...)
			at = d.limit()
			p.reached(d.end)
		}
		rest = rest[n:]
	}
	return append(appendU32(nil, count), items...)
}

var zeros [maxGap]byte

// limit is the offset behind what d puts into the memory.
func (d datum) limit() uint64 { return uint64(d.offset) + uint64(d.end-d.start) }
