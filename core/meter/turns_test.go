package meter_test

import (
	"bytes"
	"strconv"
	"testing"

	"github.com/terrarium-dev/terrarium/core/meter"
	. "github.com/terrarium-dev/terrarium/core/meter/metertest"
)

// Whatever a module is large by, others get their turn while it is read.
func TestTurns(t *testing.T) {
	const many = 1 << 18
	plain := func(sections ...[]byte) []byte {
		one := [][]byte{Section(1, U32(1), Op(0x60, 0, 0)), Section(3, U32(1), U32(0)), Section(4, U32(1), Op(0x70, 0, 0)), Section(5, U32(1), Op(0, 1))}
		return raw(append(one, sections...)...)
	}
	body := func(code []byte) []byte { return Code(U32(uint32(len(code)+2)), Op(0), code, Op(End)) }
	empty := Section(10, U32(1), body(nil))
	var exports, data, names []byte
	for i := range 50_000 {
		name := "export " + strconv.Itoa(i)
		exports = append(exports, Code(U32(uint32(len(name))), []byte(name), Op(0, 0))...)
		data = append(data, Code(Op(0, 0x41), S64(int64(50_000-i)), Op(End), U32(1), Op(0))...)
	}
	for i := range many {
		names = append(names, Code(U32(uint32(i)), U32(1), []byte("f"))...)
	}
	functions := raw(Section(1, U32(1), Op(0x60, 0, 0)), Section(3, U32(many), make([]byte, many)),
		Section(10, U32(many), bytes.Repeat(body(nil), many)))
	for _, c := range []struct {
		name string
		wasm []byte
	}{
		{"one function", plain(Section(10, U32(1), body(bytes.Repeat(Op(0x01), many))))},
		{"functions", functions},
		{"names", Code(functions, Section(0, U32(4), []byte("name"), Section(1, U32(many), names)))},
		{"exports", plain(Section(7, U32(50_000), exports), empty)},
		{"elements", plain(Section(9, U32(1), Op(1, 0), U32(many), make([]byte, many)), empty)},
		{"data", plain(empty, Section(11, U32(50_000), data))},
	} {
		t.Run(c.name, func(t *testing.T) {
			turns := 0
			metered, _, err := meter.RewriteInTurns(c.wasm, meter.Config{}, func() { turns++ })
			if err != nil {
				t.Fatal(err)
			}
			if least := len(c.wasm) / (64 << 10); turns < least {
				t.Errorf("%d turns for %d bytes, want %d", turns, len(c.wasm), least)
			}
			if same, _, err := meter.Rewrite(c.wasm, meter.Config{}); err != nil || !bytes.Equal(same, metered) {
				t.Errorf("another module than that of Rewrite: %v", err)
			}
		})
	}
}
