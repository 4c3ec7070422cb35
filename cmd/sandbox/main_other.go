//go:build !js

package main

// main is for those who run the command: the sandbox is a page's.
func main() {
	println("sandbox: build it with GOOS=js GOARCH=wasm go build ./cmd/sandbox")
}
