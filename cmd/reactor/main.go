package main

// main is for those who run the command: a reactor is called, not run.
func main() {
	println("reactor: build it with GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared ./cmd/reactor")
}
