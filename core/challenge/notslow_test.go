//go:build !race && !wasip1

package challenge_test

const slowdown = 1
