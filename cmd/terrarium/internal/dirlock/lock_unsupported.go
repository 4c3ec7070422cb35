//go:build !unix

package dirlock

// Lock does nothing: of two who change a directory at once neither may have what they wrote.
func Lock(string) (unlock func(), err error) { return func() {}, nil }

// Try does nothing, as Lock.
func Try(string) (unlock func(), err error) { return func() {}, nil }
