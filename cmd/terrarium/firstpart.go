package main

import "io"

// maxAgentSays is how much of what an agent writes on its standard error goes to
// ours, in bytes: a disk that it is kept on is not to be filled.
const maxAgentSays = 16 << 20

// A firstPart passes on what comes first, and says where it stops.
type firstPart struct {
	w    io.Writer
	left int // bytes
}

// Write never fails: who does not listen misses it.
func (f *firstPart) Write(p []byte) (int, error) {
	if f.left < 0 {
		return len(p), nil
	}
	f.w.Write(p[:min(len(p), f.left)])
	if f.left -= len(p); f.left < 0 {
		io.WriteString(f.w, "\nterrarium: the agent writes too much on its standard error: the rest is left out\n")
	}
	return len(p), nil
}
