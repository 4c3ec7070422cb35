package worker

// A place is a directory that a worker may use.
type place struct {
	dir   string
	write bool
	near  *near // what it has to be; nil: it is terrarium's own, where no guest swaps anything
}
