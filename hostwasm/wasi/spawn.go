package wasi

// A Spawner starts the child processes of one process.
type Spawner interface {
	// Spawn starts what r asks for. It must make the child's Process before it
	// returns, since r.Inherited is only lent. When the child has ended, exited
	// is called once, from any goroutine. An error is an errno.Errno of those
	// that ABI.md lists, and exited is not called then.
	Spawn(r Request, exited func(Status)) (Child, error)
}

// A Child is a process that runs, or has run.
type Child interface {
	// Kill asks it to end, or ends it. It does not wait. Killing a process
	// that has ended does nothing.
	Kill(how Kill)
	// Reap is called once after it has ended: its parent knows how, or will
	// never ask.
	Reap()
}

// Kill says how to end a process.
type Kill uint32

const (
	Terminate Kill = 1 // SIGTERM: it may take its time
	Now       Kill = 2 // SIGKILL
)

// A Status is how a child ended: see ABI.md.
type Status struct {
	Kind StatusKind
	Code uint32 // the exit code, the signal's number, or the limit's number in ABI.md
	Fuel uint64 // that it used
}

// A StatusKind says what Status.Code means.
type StatusKind uint32

const (
	Exited   StatusKind = 0 // it ended by itself: Code is its exit code
	Trapped  StatusKind = 1 // it did what WebAssembly forbids: Code is 0
	Killed   StatusKind = 2 // a signal ended it: Code is its number
	Exceeded StatusKind = 3 // it exceeded a limit: Code is its number in ABI.md
)
