package main

// main leaves everything to the exports, and never returns: where it did, they
// could no longer be called.
func main() { select {} }
