//go:build race || wasip1

package vt_test

// slowdown is how much longer tests may take than natively: the race detector
// and WebAssembly both cost about ten times.
const slowdown = 10
