package wazero

import (
	"encoding/binary"
	"slices"
)

// Sections that a skeleton has others of.
const (
	sectionCustom = 0
	sectionCode   = 10
)

// skeleton returns a module as wasm, each function of which does nothing but
// trap. Of custom sections the one with names stays.
func skeleton(wasm []byte) ([]byte, error) {
	r := reader{p: wasm}
	out := slices.Clone(r.bytes(preamble))
	for r.err == nil && len(r.p) > 0 {
		start := r.p
		id := r.byte()
		s := reader{p: r.bytes(r.number())}
		section := start[:len(start)-len(r.p)]
		switch {
		case r.err != nil:
		case id == sectionCode:
			bodies := binary.AppendUvarint(nil, s.number())
			for len(s.p) > 0 {
				s.bytes(s.number())
				bodies = append(bodies, 3, 0, 0x00, opEnd) // 3 bytes: no locals, unreachable, end
			}
			out = append(binary.AppendUvarint(append(out, id), uint64(len(bodies))), bodies...)
			r.err = s.err
		case id != sectionCustom || string(s.bytes(5)) == "\x04name":
			out = append(out, section...)
		}
	}
	return out, r.err
}
