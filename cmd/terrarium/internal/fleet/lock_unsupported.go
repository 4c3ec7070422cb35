//go:build !unix

package fleet

// lock does nothing: two fleets that are served from one directory damage it.
func lock(string) (unlock func(), err error) { return func() {}, nil }
