//go:build race || wasip1

package challenge_test

// slowdown is how much longer things take than natively: the race detector
// and WebAssembly both cost about ten times.
const slowdown = 10
