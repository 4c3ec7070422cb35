// Package metertest builds WebAssembly modules in memory, for tests of what
// rewrites and runs them, and for a module of ours that is too small for a compiler.
//
//	var m metertest.Module
//	m.Memory(1, 0)
//	f := m.Func("(i32)->i32", "i64,i32",
//		metertest.Get(0), metertest.I32(1), metertest.Op(metertest.I32Add))
//	m.Export("next", f)
//	wasm := m.Bytes()
//
// Nothing is checked: a test may well want a module that is not valid.
// [Generate] makes modules that are, at random, and that always end.
package metertest
