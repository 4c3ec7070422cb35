package worker

import (
	"bytes"
	"reflect"
	"testing"
)

// fill gives v, and all that it has, a value that is not zero.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fill(v.Index(i))
		}
	case reflect.String:
		v.SetString("\xff\x00 any bytes")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(-1 << 62)
	case reflect.Uint8, reflect.Uint32, reflect.Uint64:
		v.SetUint(1<<v.Type().Bits() - 1)
	default:
		panic(v.Type())
	}
}

// A message comes out as it went in, none of its fields forgotten.
func TestWire(t *testing.T) {
	var full message
	fill(reflect.ValueOf(&full).Elem())
	for _, m := range []*message{&full, {}, {Signal: "SIGTERM"}, {Ask: &ask{}}} {
		got, err := decode(encode(m)[4:])
		if err != nil || !reflect.DeepEqual(got, m) {
			t.Errorf("got %+v, %v, want %+v", got, err, m)
		}
	}
	whole := encode(&full)[4:]
	for n := range whole {
		if m, err := decode(bytes.Clone(whole[:n])); err == nil {
			t.Fatalf("the first %d bytes of %d: got %+v, want an error", n, len(whole), m)
		}
	}
	if _, err := decode(append(whole, 0)); err == nil {
		t.Error("a byte more: got nil, want an error")
	}
}

// What a worker sends is no message, or one that says the same when it is sent
// on; what it costs is bounded by its size.
func FuzzWire(f *testing.F) {
	var full message
	fill(reflect.ValueOf(&full).Elem())
	f.Add(encode(&full)[4:])
	f.Add(encode(&message{Ready: &ready{Measures: []Measure{{Name: "x"}}}})[4:])
	f.Fuzz(func(t *testing.T, p []byte) {
		m, err := decode(bytes.Clone(p))
		if err != nil {
			return
		}
		again, err := decode(encode(m)[4:])
		if err != nil || !reflect.DeepEqual(again, m) {
			t.Errorf("got %+v, %v, want %+v", again, err, m)
		}
	})
}
