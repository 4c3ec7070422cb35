//go:build wasmtime

package worker_test

func init() { engines = append(engines, "wasmtime") }
