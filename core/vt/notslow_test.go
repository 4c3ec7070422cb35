//go:build !race && !wasip1

package vt_test

const slowdown = 1
