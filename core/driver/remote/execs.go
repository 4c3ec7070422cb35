package remote

import "github.com/terrarium-dev/terrarium/core"

// Execs are what was resolved and may be started: the newest. The zero value has none.
type execs struct {
	byID  map[uint64]core.Exec
	order []uint64
	bytes int64
}

const (
	maxExecs     = 1024
	maxExecBytes = 32 << 20
)

func (x *execs) put(id uint64, e core.Exec) {
	if x.byID == nil {
		x.byID = make(map[uint64]core.Exec)
	}
	x.byID[id] = e
	x.order = append(x.order, id)
	x.bytes += execSize(&e)
	for len(x.byID) > maxExecs || x.bytes > maxExecBytes && len(x.byID) > 1 {
		x.take(x.order[0])
	}
}

// take removes and returns one of them.
func (x *execs) take(id uint64) (core.Exec, bool) {
	e, ok := x.byID[id]
	if !ok {
		return core.Exec{}, false
	}
	delete(x.byID, id)
	x.bytes -= execSize(&e)
	for i, other := range x.order {
		if other == id {
			x.order = append(x.order[:i], x.order[i+1:]...)
			break
		}
	}
	return e, true
}

// execSize is what e holds in memory, about, in bytes.
func execSize(e *core.Exec) int64 {
	n := 512 + len(e.Command.Command) + len(e.Path)
	for _, list := range [][]string{e.Command.Args, e.Command.Roots, e.Argv} {
		for _, s := range list {
			n += len(s) + 32
		}
	}
	for _, v := range e.Command.Env {
		n += len(v.Name) + len(v.Value) + 32
	}
	return int64(n)
}
