package core

// A Budget is a limit that several Registries share: what each of them may hold
// is bounded by its own Config, and what they hold together by the Budget. It
// may have locks, as driver.Budget has, but it waits for nobody.
type Budget interface {
	// Take counts terminals and bytes, all of them or none. The error is a
	// *LimitError that says what there is too little of.
	Take(terminals int, bytes int64) error
	// Give gives back what was taken, whole or a part of it.
	Give(terminals int, bytes int64)
}

// unshared is the Budget of a Registry that has no limits in common with others.
type unshared struct{}

func (unshared) Take(int, int64) error { return nil }
func (unshared) Give(int, int64)       {}

// hold counts terminals, which there is place for here, and bytes that they may
// hold, or says which limit is in the way.
func (r *Registry) hold(terminals int, bytes int64) error {
	if r.reserved+bytes > r.config.MaxOutputBytes {
		return &LimitError{Limit: "output_bytes", Max: r.config.MaxOutputBytes}
	}
	if err := r.config.Budget.Take(terminals, bytes); err != nil {
		return err
	}
	r.live += terminals
	r.reserved += bytes
	return nil
}

// letGo is the opposite of hold.
func (r *Registry) letGo(terminals int, bytes int64) {
	r.live -= terminals
	r.reserved -= bytes
	r.config.Budget.Give(terminals, bytes)
}

// roomToKeep takes t's share of the KeptBudget. Where others hold the rest, what
// we have kept longest makes room; ok is false if that was not enough.
func (r *Registry) roomToKeep(t *Terminal) (ok bool) {
	for r.config.KeptBudget.Take(1, t.keptBytes()) != nil {
		if r.kept == 0 {
			return false
		}
		r.evict(r.oldestKept())
	}
	return true
}
