package core

// Bounds are what a client asks for in place of what its Host confines commands to. The
// zero value asks for nothing, as nil does. What a Host makes of them it says in Exec.Terms,
// and nothing of that is given unless somebody decides so: see Decision.More.
type Bounds struct {
	// Sandbox is the name of a level, as in Exec.Sandbox, or "off". Empty is the Host's own.
	Sandbox string
	// Net are hosts that the command may connect to besides those of all commands, as
	// HOST or HOST:PORT: at most MaxBounds.
	Net []string
}

// MaxBounds is how many hosts Bounds may have.
const MaxBounds = 32

// size is what b holds in memory, in bytes.
func (b *Bounds) size() int64 {
	if b == nil {
		return 0
	}
	n := len(b.Sandbox) + entrySize*len(b.Net)
	for _, host := range b.Net {
		n += len(host)
	}
	return int64(n)
}

func (b *Bounds) validate() error {
	if b != nil && len(b.Net) > MaxBounds {
		return &InvalidError{Param: "net", Reason: "too_many"}
	}
	return nil
}

// Unsupported returns the error of a Host that gives no command anything else than all
// others have, or nil if nothing is asked for.
func (b *Bounds) Unsupported() error {
	switch {
	case b == nil:
		return nil
	case b.Sandbox != "":
		return &InvalidError{Param: "sandbox", Reason: "unsupported", Value: b.Sandbox}
	case len(b.Net) > 0:
		return &InvalidError{Param: "net", Reason: "unsupported"}
	}
	return nil
}

// ungranted is why a command does not start that nobody has granted its Terms.
func ungranted(terms string) *DeniedError {
	return &DeniedError{Reason: "it asks to run " + terms + ", which nobody has granted"}
}
