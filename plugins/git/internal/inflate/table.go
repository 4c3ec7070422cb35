package inflate

import "math/bits"

const (
	maxLength = 15 // bits of a code
	rootBits  = 9  // by which a table is asked first
	rootMask  = 1<<rootBits - 1

	endOfBlock   = 256
	maxSymbols   = 286
	maxDistances = 30
)

// A table says which symbol a code stands for. Entries of root are found by the next rootBits bits:
// those of shorter codes are there for each of the bits that may follow. What begins a longer code
// has where in rest its entries are.
//
// An entry has the length of its code in its lowest 4 bits, or what of it is behind rootBits; then,
// in 4 bits, how many bits come behind the code; flags; and, from valueShift on, a value, to which
// those bits are added. No code has the entry 0.
type table struct {
	root [1 << rootBits]uint32
	rest []uint32
}

const (
	lengthMask = 15
	extraShift = 4
	extraMask  = 15
	literal    = 1 << 8  // the value is a byte
	end        = 1 << 9  // of the block
	deeper     = 1 << 10 // the value is where entries begin in rest, found by so many extra bits
	valueShift = 16
)

// set makes the table of a code by the entries of its symbols, in order, each with the length of
// its code; those that have none are left out. As with zlib, a code must use all bits, but one that
// has only one symbol, of one bit; and a code without symbols is in order where none is used.
// https://www.rfc-editor.org/rfc/rfc1951#section-3.2.2
func (t *table) set(entries []uint32) error {
	var count, next [maxLength + 1]int
	for _, e := range entries {
		count[e&lengthMask]++
	}
	longest, left := 0, 1 // left of the codes of a length
	for l := 1; l <= maxLength; l++ {
		next[l] = next[l-1] + count[l-1]
		if count[l] > 0 {
			longest = l
		}
		if left = left<<1 - count[l]; left < 0 {
			return ErrCorrupt
		}
	}
	if left > 0 && (longest > 1 || count[1] > 1) {
		return ErrCorrupt
	}
	var room [maxSymbols + 2]uint32
	list := room[:len(entries)] // by length
	for _, e := range entries {
		l := e & lengthMask
		list[next[l]] = e
		next[l]++
	}

	code := 0
	t.root[0] = 0
	for l := 1; l <= rootBits; l++ {
		copy(t.root[1<<(l-1):], t.root[:1<<(l-1)]) // whatever bit comes next
		for _, e := range list[:count[l]] {
			t.root[reverse(code, l)] = checked(e)
			code++
		}
		list, code = list[count[l]:], code<<1
	}
	t.rest = t.rest[:0]
	deep := longest - rootBits
	for l := rootBits + 1; l <= longest; l++ {
		for _, e := range list[:count[l]] {
			r := reverse(code, l)
			root := &t.root[r&rootMask]
			if *root == 0 {
				*root = deeper | uint32(deep)<<extraShift | uint32(len(t.rest))<<valueShift
				t.rest = append(t.rest, make([]uint32, 1<<deep)...)
			}
			of := t.rest[*root>>valueShift:][:1<<deep]
			for i := r >> rootBits; i < len(of); i += 1 << (l - rootBits) {
				of[i] = checked(e) - rootBits
			}
			code++
		}
		list, code = list[count[l]:], code<<1
	}
	return nil
}

// reverse returns a code of l bits with the first to come as the lowest.
func reverse(code, l int) int { return int(bits.Reverse16(uint16(code)) >> (16 - l)) }

// checked returns an entry, or 0 for that of a symbol that no stream may have: it has no more than
// a length.
func checked(e uint32) uint32 {
	if e <= lengthMask {
		return 0
	}
	return e
}

// Entries of the symbols, of the distances, and of the lengths with which a block's codes begin.
// https://www.rfc-editor.org/rfc/rfc1951#section-3.2.5
var (
	symbolEntries   = makeSymbols()
	distanceEntries = makeDistances()
	lengthEntries   = makeLengths()
)

func makeSymbols() (list [maxSymbols + 2]uint32) {
	for i := range endOfBlock {
		list[i] = literal | uint32(i)<<valueShift
	}
	list[endOfBlock] = end
	value := uint32(3)
	for i := endOfBlock + 1; i < maxSymbols-1; i++ {
		extra := uint32(max(0, (i-endOfBlock-5)/4))
		list[i] = extra<<extraShift | value<<valueShift
		value += 1 << extra
	}
	list[maxSymbols-1] = 258 << valueShift
	return list
}

func makeDistances() (list [maxDistances + 2]uint32) {
	value := uint32(1)
	for i := range maxDistances {
		extra := uint32(max(0, i/2-1))
		list[i] = extra<<extraShift | value<<valueShift
		value += 1 << extra
	}
	return list
}

// How often a length is repeated: the previous one, or 0.
const (
	repeatPrevious = 16
	repeatZero     = 17
	repeatZeroMore = 18
)

func makeLengths() (list [repeatZeroMore + 1]uint32) {
	for i := range list {
		list[i] = literal | uint32(i)<<valueShift
	}
	list[repeatPrevious] |= 2 << extraShift
	list[repeatZero] |= 3 << extraShift
	list[repeatZeroMore] |= 7 << extraShift
	return list
}

// makeFixed makes the tables of blocks that come without.
// https://www.rfc-editor.org/rfc/rfc1951#section-3.2.6
func (d *Decoder) makeFixed() {
	if d.hasFixed {
		return
	}
	symbols, distances := symbolEntries, distanceEntries
	for i := range symbols {
		switch {
		case i < 144:
			symbols[i] |= 8
		case i < 256:
			symbols[i] |= 9
		case i < 280:
			symbols[i] |= 7
		default:
			symbols[i] |= 8
		}
	}
	for i := range distances {
		distances[i] |= 5
	}
	d.fixed.set(symbols[:])
	d.fixedDistances.set(distances[:])
	d.hasFixed = true
}

// lengthOrder is in which order the lengths of the codes of lengths come.
var lengthOrder = [...]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// readTables reads the tables that a block begins with.
// https://www.rfc-editor.org/rfc/rfc1951#section-3.2.7
func (d *Decoder) readTables(in *input) error {
	head, err := in.take(5 + 5 + 4)
	if err != nil {
		return err
	}
	symbols, distances := int(head&31)+257, int(head>>5&31)+1
	if symbols > maxSymbols || distances > maxDistances {
		return ErrCorrupt
	}
	var ofLengths [len(lengthOrder)]uint8
	for _, i := range lengthOrder[:head>>10+4] {
		l, err := in.take(3)
		if err != nil {
			return err
		}
		ofLengths[i] = uint8(l)
	}
	var room [maxSymbols + maxDistances]uint32
	entries := room[:0]
	for i, l := range ofLengths {
		if l > 0 {
			entries = append(entries, lengthEntries[i]|uint32(l))
		}
	}
	t := &d.distances // until it is made itself
	if err := t.set(entries); err != nil {
		return err
	}

	entries = room[:0]
	ofSymbols := 0 // of these, whose distances follow
	length := uint32(0)
	for i := 0; i < symbols+distances; {
		const most = 7 + 7 // bits of a code, and behind it
		if in.count < most {
			in.fill()
		}
		e := t.root[in.bits&rootMask]
		if e == 0 {
			return noSymbol(in.count)
		}
		in.bits >>= e & lengthMask
		in.count -= int(e & lengthMask)
		extra := e >> extraShift & extraMask
		times := int(in.bits & (1<<extra - 1))
		in.bits >>= extra
		in.count -= int(extra)
		switch symbol := e >> valueShift; symbol {
		default:
			length, times = symbol, 1
		case repeatPrevious:
			if i == 0 {
				return ErrCorrupt
			}
			times += 3
		case repeatZero:
			length, times = 0, times+3
		case repeatZeroMore:
			length, times = 0, times+11
		}
		next := i + times
		switch {
		case in.count < 0:
			return ErrShort
		case next > symbols+distances:
			return ErrCorrupt
		case length == 0:
			i = next
			continue
		}
		for ; i < next; i++ {
			if i < symbols {
				entries = append(entries, symbolEntries[i]|length)
				ofSymbols = len(entries)
			} else {
				entries = append(entries, distanceEntries[i-symbols]|length)
			}
		}
	}
	if err := d.symbols.set(entries[:ofSymbols]); err != nil {
		return err
	}
	return d.distances.set(entries[ofSymbols:])
}

// noSymbol is the error where no code fits, with so many bits left.
func noSymbol(count int) error {
	if count < maxLength {
		return ErrShort
	}
	return ErrCorrupt
}
