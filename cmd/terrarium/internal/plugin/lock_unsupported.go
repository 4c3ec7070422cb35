//go:build !unix

package plugin

// Lock does nothing: who adds two plugins of one name at once may have neither.
func Lock(string) (unlock func(), err error) { return func() {}, nil }
