//go:build js

package page

import (
	"encoding/binary"
	"errors"
)

// Of the binary format: https://www.w3.org/TR/wasm-core-2/#binary-format.
const (
	preamble      = 8
	sectionMemory = 5
)

var errSections = errors.New("the module's sections are malformed")

// initialPages returns how many pages of memory a module starts with, so that
// one with too many need not be made first.
func initialPages(wasm []byte) (uint64, error) {
	if len(wasm) < preamble {
		return 0, errSections
	}
	for p := wasm[preamble:]; len(p) > 0; {
		id := p[0]
		size, n := binary.Uvarint(p[1:])
		if n <= 0 || size > uint64(len(p)-1-n) {
			return 0, errSections
		}
		section := p[1+n:][:size]
		p = p[1+n:][size:]
		if id != sectionMemory {
			continue
		}
		var v [3]uint64 // how many there are, the kind of limits, the least
		for i := range v {
			if v[i], n = binary.Uvarint(section); n <= 0 {
				return 0, errSections
			}
			if section = section[n:]; i == 0 && v[0] == 0 {
				return 0, nil
			}
		}
		return v[2], nil
	}
	return 0, nil
}
