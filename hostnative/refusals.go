package hostnative

import (
	"strings"
	"sync"
)

// refusals are what a confined command was not let do. They are told at the end of its
// output: an agent has to know that it was not the network.
type refusals struct {
	mu   sync.Mutex
	list []string
	more int
}

// maxRefusals is how many different ones are told.
const maxRefusals = 8

func (r *refusals) add(why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, before := range r.list {
		if before == why {
			return
		}
	}
	if len(r.list) == maxRefusals {
		r.more++
		return
	}
	r.list = append(r.list, why)
}

// text returns a line for each, or nil.
func (r *refusals) text() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	var b strings.Builder
	for _, why := range r.list {
		b.WriteString("terrarium: " + why + "\n")
	}
	if r.more > 0 {
		b.WriteString("terrarium: and more of the kind\n")
	}
	return []byte(b.String())
}
