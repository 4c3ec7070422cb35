package main

// A page is what the sandbox tells the page: its imports, as ABI.md has them. What
// is handed over is lent. They only take note, and never call an export, so any
// lock may be held.
type page interface {
	event(p []byte)
	output(watch int32)
	ended(watch int32)
	changed()
	ask(p, data []byte)
	line(peer int32, p []byte)
}
