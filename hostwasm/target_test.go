package hostwasm_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core/meter"
	. "github.com/terrarium-dev/terrarium/core/meter/metertest"
	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
)

// A target is an engine that compiles nothing.
type target struct {
	engine.Engine
	asks bool
	got  *[]byte // the last module that came
}

var errTarget = errors.New("compiles nothing")

func (target) Name() string     { return "target" }
func (target) Version() string  { return "1" }
func (t target) AsksGrow() bool { return t.asks }
func (target) Close() error     { return nil }
func (t target) Compile(_ context.Context, wasm []byte, _ []engine.Func, _ string) (engine.Program, error) {
	*t.got = bytes.Clone(wasm)
	return nil, errTarget
}

// What was compiled for an engine that is not asked is of no use to one that is, and
// the limits that a module is rewritten by count as well.
func TestCompiledBy(t *testing.T) {
	limits := hostwasm.Limits{Module: 1000, Table: 77}
	by := hostwasm.CompiledBy(target{}, limits)
	if !strings.HasPrefix(by, fmt.Sprintf("target 1 meter %d ", meter.Version)) {
		t.Errorf("got %q, want the engine and the meter first", by)
	}
	for what, other := range map[string]string{
		"asking":       hostwasm.CompiledBy(target{asks: true}, limits),
		"other limits": hostwasm.CompiledBy(target{}, hostwasm.Limits{Module: 1000, Table: 78}),
	} {
		if other == by {
			t.Errorf("%s: got %q again", what, other)
		}
	}
}

// MeterFor makes what an engine would get, byte for byte, and refuses what a host
// refuses.
func TestMeterFor(t *testing.T) {
	var grows, tables Module
	for m, body := range map[*Module][]byte{
		&grows:  Code(I32(1), MemoryGrow(), Op(Drop)),
		&tables: Code(I32(1), MemoryGrow(), Misc(16, 1), Op(Drop, Drop)),
	} {
		m.Memory(1, 0)
		m.ExportMemory("memory")
		m.Export("_start", m.Func("()->()", "", body))
	}
	tables.Table(1, 0)
	tables.Table(1, 0)
	for name, wasm := range map[string][]byte{"one that grows": grows.Bytes(), "one with tables": tables.Bytes()} {
		for _, asks := range []bool{false, true} {
			var got []byte
			on := target{asks: asks, got: &got}
			h := newHost(t, backend{}, hostwasm.Config{Engine: on, Commands: map[string]*hostwasm.Module{
				"m": hostwasm.NewModule("m", wasm),
			}})
			if err := h.Prepare(context.Background(), "m"); !errors.Is(err, errTarget) {
				t.Fatalf("%s: got %v, want %v", name, err, errTarget)
			}
			want, err := hostwasm.MeterFor(on, hostwasm.NewModule("m", wasm), hostwasm.Limits{})
			if err != nil {
				t.Fatalf("%s: got %v, want no error", name, err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s: the engine got  %x\nwant %x", name, got, want)
			}
			imported := Code(Name(meter.RefillModule), Name(meter.GrowName))
			if bytes.Contains(want, imported) != asks {
				t.Errorf("%s: asks before it grows: got %v, want %v", name, !asks, asks)
			}
		}
	}

	for want, m := range map[string]*hostwasm.Module{
		"not a WebAssembly module": hostwasm.NewModule("m", []byte("hello")),
		"exports no function":      hostwasm.NewModule("m", new(Module).Bytes()),
		"gone":                     {Name: "m", Load: func() ([]byte, error) { return nil, errors.New("gone") }},
	} {
		if _, err := hostwasm.MeterFor(target{}, m, hostwasm.Limits{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q in it", err, want)
		}
	}
}
