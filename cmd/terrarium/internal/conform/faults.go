package conform

import "slices"

// maxFaults is how many kinds of fault are told. There are few: it bounds what a
// later version makes of it.
const maxFaults = 16

// faults are what is wrong with the client's lines, whatever was asked. They take
// no more room the more come.
type faults struct {
	list    []Fault
	longest int // of the responses, in bytes
}

// A Fault is something wrong with lines that the client has sent.
type Fault struct {
	What    string `json:"what"`
	Count   int    `json:"count"`
	Example string `json:"example,omitempty"` // the beginning of the first line
}

func (f *faults) add(what string, line []byte) {
	if i := slices.IndexFunc(f.list, func(g Fault) bool { return g.What == what }); i >= 0 {
		f.list[i].Count++
		return
	}
	if len(f.list) < maxFaults {
		f.list = append(f.list, Fault{what, 1, clip(line)})
	}
}

func (f *faults) measure(line []byte) { f.longest = max(f.longest, len(line)) }

func (f *faults) clone() faults { return faults{slices.Clone(f.list), f.longest} }
