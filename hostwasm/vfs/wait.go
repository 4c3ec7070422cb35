package vfs

// A Wait is how a file system waits for somebody whose answer may never come. It
// calls f, which takes its time, and returns when f has. Where nobody wants the
// outcome any longer it returns why, and f goes on by itself. Where its caller
// must not wait it returns an error, and f is not called.
type Wait func(f func()) error

// A Waiting file system may have to wait for others. A [Tree] asks it with the
// Wait of each Path; without one it waits for as long as it takes. Whoever wraps
// one passes this on.
type Waiting interface {
	FS
	// Waiting returns the same files for one call, which waits by wait.
	Waiting(wait Wait) FS
}

// A Settler is a File with something to wait for, which its other methods would
// have to wait for otherwise, or leave for later: a file that is written behind is
// written, a directory is read. An error is that of File.Sync or File.ReadDir.
type Settler interface {
	Settle(wait Wait) error
}

// Settle settles a file if it is a Settler.
func Settle(f File, wait Wait) error {
	if s, ok := f.(Settler); ok {
		return s.Settle(wait)
	}
	return nil
}
