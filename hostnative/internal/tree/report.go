package tree

// A Mechanism is a way in which a Containment keeps hold of what commands start.
type Mechanism struct {
	Name   string // what "terrarium doctor" calls it
	Used   bool
	Detail string // where, or why not
}
