//go:build js

package page

import (
	"slices"
	"strings"
	"testing"
)

// Browsers' words become the specification's.
func TestReason(t *testing.T) {
	for _, test := range []struct{ name, message, want string }{
		{"RuntimeError", "unreachable", "unreachable"},
		{"RuntimeError", "memory access out of bounds", "out of bounds memory access"},
		{"RuntimeError", "WebAssembly.Instance(): data segment 0 is out of bounds (offset 65535)", "out of bounds memory access"},
		{"RuntimeError", "divide result unrepresentable", "integer overflow"},
		{"RangeError", "Maximum call stack size exceeded", "call stack exhausted"},

		{"RuntimeError", "unreachable executed", "unreachable"},
		{"RuntimeError", "index out of bounds", "out of bounds memory access"},
		{"RuntimeError", "indirect call to null", "uninitialized element"},
		{"InternalError", "too much recursion", "call stack exhausted"},

		{"RuntimeError", "Out of bounds memory access (evaluating 'instance.exports.f()')", "out of bounds memory access"},
		{"RuntimeError", "Division by zero", "integer divide by zero"},
		{"RuntimeError", "call_indirect to a signature that does not match", "indirect call type mismatch"},
		{"RangeError", "Maximum call stack size exceeded.", "call stack exhausted"},

		{"LinkError", "new\nwords", "LinkError: new words"},
	} {
		if got := reason(test.name, test.message); got != test.want {
			t.Errorf("%s %q: got %q, want %q", test.name, test.message, got, test.want)
		}
	}
	if got := reason("Error", strings.Repeat("x", 10_000)); len(got) > maxReason+10 {
		t.Errorf("got %d bytes of a reason", len(got))
	}
}

// The functions in a stack are the guest's, whatever their names are.
func TestFrames(t *testing.T) {
	for _, test := range []struct {
		stack string
		want  []string
	}{
		{"", nil},
		{"RuntimeError: unreachable\n    at inner (wasm://wasm/1234:wasm-function[7]:0x2a)\n" +
			"    at wasm://wasm/1234:wasm-function[8]:0x30\n    at async Guests.run (http://localhost/guests.js:1:1)",
			[]string{"inner", "$8"}},
		{"    at f(i32) (wasm://wasm/1234:wasm-function[7]:0x2a)\n", []string{"f(i32)"}},
		{"inner@http://localhost/guests.js:wasm-function[7]:0x2a\n@http://localhost/guests.js:wasm-function[8]:0x2a\n",
			[]string{"inner", "$8"}},
		{"<?>.wasm-function[inner]@[wasm code]\n<?>.wasm-function[8]@[wasm code]\n", []string{"inner", "$8"}},
		{strings.Repeat("    at f (wasm://wasm/1234:wasm-function[7]:0x2a)\n", 100), slices.Repeat([]string{"f"}, maxFrames)},
	} {
		if got := frames(test.stack); !slices.Equal(got, test.want) {
			t.Errorf("%q: got %q, want %q", test.stack, got, test.want)
		}
	}
}

// A list of imports that is cut short is an error, not half a list.
func TestParseImports(t *testing.T) {
	const list = "\x01\x00\x00\x00m\x02\x00\x00\x00fn"
	got, err := parseImports(list)
	if err != nil || len(got) != 1 || got[0].Module != "m" || got[0].Name != "fn" {
		t.Errorf("got %v, %v", got, err)
	}
	for i := 1; i < len(list); i++ {
		if _, err := parseImports(list[:i]); err == nil {
			t.Errorf("%q: got nil, want an error", list[:i])
		}
	}
	if _, err := parseImports("\xff\xff\xff\xffm"); err == nil {
		t.Error("a length beyond the list: got nil, want an error")
	}
}

// What a module starts with is known before there is an instance.
func TestInitialPages(t *testing.T) {
	const head = "\x00asm\x01\x00\x00\x00"
	for wasm, want := range map[string]uint64{
		head:                          0,
		head + "\x05\x01\x00":         0,
		head + "\x05\x03\x01\x00\x07": 7,
		head + "\x01\x00\x05\x06\x01\x01\x80\x80\x04\x00": 65536,
	} {
		if got, err := initialPages([]byte(wasm)); err != nil || got != want {
			t.Errorf("%q: got %d, %v, want %d", wasm, got, err, want)
		}
	}
	for _, wasm := range []string{"", "\x00asm", head + "\x05", head + "\x05\x03\x01\x00", head + "\x05\x02\x01\x00", head + "\x05\xff\xff\xff\xff\x7f"} {
		if _, err := initialPages([]byte(wasm)); err == nil {
			t.Errorf("%q: got nil, want an error", wasm)
		}
	}
}
