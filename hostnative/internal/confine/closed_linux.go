//go:build amd64 || arm64

package confine

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Closed says in which directories of Write nothing new can be made, since something in them is
// hidden and the rest is granted entry by entry; or nil. It is for rules that Check has passed.
func (r Rules) Closed() error {
	if len(r.Write) == 0 || r.Level == Off {
		return nil
	}
	hidden := r.hidden()
	var all []string
	for _, path := range r.Write {
		real := Resolve(path)
		at := slices.IndexFunc(hidden, func(p hiddenPath) bool { return (p.exists || p.own) && isBelow(p.path, real) })
		if at >= 0 {
			all = append(all, fmt.Sprintf("nothing new can be made in %s itself: %s in it is hidden", path, hidden[at].path))
		}
	}
	if len(all) == 0 {
		return nil
	}
	return errors.New("sandbox: " + strings.Join(all, "; "))
}
