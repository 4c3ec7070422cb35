package worker

// A place is a directory that a worker may use.
type place struct {
	dir   string
	write bool
}
