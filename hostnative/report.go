package hostnative

// A Mechanism is a way in which a Host keeps hold of what commands start.
type Mechanism struct {
	Name   string // what "terrarium doctor" calls it
	Used   bool
	Detail string // where, or why not
}

// Report tells by which means this Host finds the processes of its commands,
// and by which it could if something were different. It may take some seconds,
// while a helper starts.
func (h *Host) Report() []Mechanism { return append(h.keeping.report(), reportSandbox()) }
