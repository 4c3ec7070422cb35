//go:build !js

// Package turn lets others run where all share one thread, as in a page.
package turn

// Give lets others run if we have run for some time. Only GOOS=js needs it: it has
// one thread for Go, its guests and the browser's events, and Go keeps that until
// all goroutines wait.
func Give() {}
