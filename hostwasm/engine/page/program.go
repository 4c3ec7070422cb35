//go:build js

package page

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/terrarium-dev/terrarium/core/meter"
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
)

// program is an engine.Program: a module that the glue has.
type program struct {
	id      int32
	pages   uint64 // of memory at its start, or 0 where we have not seen the module
	loaded  bool   // so that the types of its imports are not known
	imports []engine.Import
	funcs   []engine.Func // for each of imports; those of core/meter are empty
}

// Close drops the module.
func (p *program) Close() error {
	jsForget(p.id)
	return nil
}

// maxValues is how many parameters a function may have: more than WebAssembly's
// engines allow.
const maxValues = 1024

// parseImports reads the glue's list of a module's imports: for each its module
// and its name, each behind its length in 32 bits.
func parseImports(text string) (imports []engine.Import, err error) {
	fields, err := parseStrings(text)
	for i := 0; i+1 < len(fields); i += 2 {
		imports = append(imports, engine.Import{
			Module: fields[i], Name: fields[i+1], Params: engine.Untold, Results: engine.Untold,
		})
	}
	if err == nil && len(fields)%2 != 0 {
		err = errCut
	}
	return imports, err
}

var errCut = errors.New("the list of imports is cut short")

// parseStrings reads strings, each behind its length in 32 bits.
func parseStrings(text string) (fields []string, err error) {
	p := []byte(text)
	next := func() string {
		if len(p) < 4 || uint64(binary.LittleEndian.Uint32(p)) > uint64(len(p)-4) {
			err = errCut
			p = nil
			return ""
		}
		n := binary.LittleEndian.Uint32(p)
		s := string(p[4 : 4+n])
		p = p[4+n:]
		return s
	}
	for len(p) > 0 {
		fields = append(fields, next())
	}
	return fields, err
}

// types returns what setTypes takes: the parameters and results of each import.
func (p *program) types() []byte {
	var b []byte
	for _, f := range p.funcs {
		for _, s := range []string{f.Params, f.Results} {
			b = append(binary.LittleEndian.AppendUint32(b, uint32(len(s))), s...)
		}
	}
	return b
}

// setTypes says what the types of the imports are.
func (p *program) setTypes(types []byte) error {
	fields, err := parseStrings(string(types))
	if err == nil && len(fields) != 2*len(p.imports) {
		err = errCut
	}
	if err != nil {
		return err
	}
	for i := range p.imports {
		p.imports[i].Params, p.imports[i].Results = fields[2*i], fields[2*i+1]
	}
	return nil
}

// link gives each import its function, and tells the glue how to call it: a line
// with the letters of its parameters and results, as in "iI:i". The meter's functions
// are "refill" and "grow". ":p" behind it says that its type may be another, since
// nobody knows the import's, and that the glue's function stands for it itself, which
// JavaScript has with any parameters; it can't be suspended then.
func (p *program) link(find func(engine.Import) (engine.Func, error)) error {
	var lines strings.Builder
	for _, i := range p.imports {
		var f engine.Func
		switch {
		case i.Module == meter.RefillModule && i.Name == meter.RefillName:
			lines.WriteString("refill")
		case i.Module == meter.RefillModule && i.Name == meter.GrowName:
			lines.WriteString("grow")
		default:
			var err error
			if f, err = find(i); err != nil {
				return err
			}
			if len(f.Params) > maxValues || len(f.Results) > 1 {
				return fmt.Errorf("%.100q %.100q has too many parameters or results", i.Module, i.Name)
			}
			lines.WriteString(f.Params + ":" + f.Results)
			if p.loaded && f.Try == nil {
				lines.WriteString(":p")
			}
		}
		lines.WriteByte('\n')
		p.funcs = append(p.funcs, f)
	}
	jsLink(p.id, lines.String())
	return nil
}
