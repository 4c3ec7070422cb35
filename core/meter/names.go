package meter

import "unicode/utf8"

// The name section (WebAssembly Core 2.0, appendix A.7.4,
// https://www.w3.org/TR/wasm-core-2/#name-section). Of it the names of the
// module and its functions are kept, which is what a trap shows. A section that
// is not well-formed is dropped, as are all other custom sections: what they
// say about places in the code would be wrong.

const (
	namesModule    = 0
	namesFunctions = 1
)

// buildID is the custom section that Go's linker gives each module, stripped or
// not (cmd/link/internal/wasm).
const buildID = "go:buildid"

// custom reads the name of a custom section. It notes where the names are, and
// whether Go has made the module.
func (p *parser) custom(r *reader) {
	name := r.name()
	switch {
	case r.err != nil:
	case string(name) == "name" && p.names.end == 0:
		p.names = extent{r.i, len(r.p)}
	case string(name) == buildID:
		p.fromGo = true
	}
}

// maxName is how many bytes of a function's name are kept: wasmtime copies the
// name for every call that there is when a guest traps.
const maxName = 128

// A nameMap is where the names of functions are, by ascending index.
type nameMap struct {
	count int
	extent
}

// readNames checks the name section. ok is false if there is none that is
// well-formed.
func (p *parser) readNames() (module extent, functions nameMap, ok bool) {
	if p.names.end == 0 {
		return module, functions, false
	}
	last := -1
	r := reader{p: p.wasm[:p.names.end], i: p.names.start}
	for !r.done() {
		id := int(r.byte())
		s := r.sub(r.u32())
		if s.err != nil || id <= last {
			return module, functions, false
		}
		last = id
		switch id {
		case namesModule:
			module = extent{s.i, len(s.p)}
			s.name()
		case namesFunctions:
			functions.count = s.count("names", s.left())
			functions.start, functions.end = s.i, len(s.p)
			next := 0
			for n := functions.count; n > 0 && s.err == nil; n-- {
				i := int(s.index("function", len(p.funcs)))
				s.name()
				if i < next {
					return module, functions, false
				}
				next = i + 1
				p.reached(s.i)
			}
		default:
			continue
		}
		if s.err != nil || !s.done() {
			return module, functions, false
		}
	}
	return module, functions, true
}

// appendNames appends the name section of the metered module, if the original
// has one.
func (p *parser) appendNames(dst []byte) []byte {
	module, functions, ok := p.readNames()
	if !ok {
		return dst
	}
	content := appendName(nil, "name")
	if module.end > 0 {
		content = appendU32(append(content, namesModule), uint32(module.end-module.start))
		content = append(content, p.wasm[module.start:module.end]...)
	}

	names := make([]byte, 0, functions.end-functions.start+functions.count/8+64*len(p.helpers)+64)
	own := func(i uint32, name string) {
		names = appendName(appendU32(names, i), RefillModule+"."+name)
	}
	imports := []string{RefillName}
	if p.asks {
		imports = append(imports, GrowName)
	}
	names = appendU32(names, uint32(functions.count+len(imports)+len(p.helpers)))
	imported := func() {
		for i, name := range imports {
			own(p.refill()+uint32(i), name)
		}
		imports = nil
	}
	r := reader{p: p.wasm[:functions.end], i: functions.start}
	for range functions.count {
		i := r.u32()
		if i >= p.refill() {
			imported()
		}
		name := r.name()
		names = appendName(appendU32(names, p.shifted(i)), cut(name))
		p.reached(r.i)
	}
	imported()
	for i, h := range p.helpers {
		own(p.helperIndex(uint32(i)), h.op.String())
	}

	content = appendU32(append(content, namesFunctions), uint32(len(names)))
	dst = appendU32(append(dst, sectionCustom), uint32(len(content)+len(names)))
	return append(append(dst, content...), names...)
}

// cut returns a name, or what of it is kept.
func cut(name []byte) string {
	if len(name) <= maxName {
		return string(name)
	}
	n := maxName
	for !utf8.RuneStart(name[n]) {
		n--
	}
	return string(name[:n]) + "…"
}

// functionName returns the name of a function, or "".
func (p *parser) functionName(index int) string {
	_, functions, ok := p.readNames()
	if !ok {
		return ""
	}
	r := reader{p: p.wasm[:functions.end], i: functions.start}
	for range functions.count {
		i := int(r.u32())
		name := r.name()
		if i == index {
			return string(name)
		}
	}
	return ""
}
