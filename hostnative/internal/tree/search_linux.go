package tree

import (
	"time"

	"github.com/terrarium-dev/terrarium/hostnative/internal/strays"
)

// A doubt is why a look at a tree may have missed somebody. The zero value is none.
type doubt struct {
	// unsure is whether it may have: processes came or went while they were listed, or there is
	// one of whom nobody could tell whose it is.
	unsure bool

	// executing is whether such a one is executing a program, and will tell soon.
	executing bool
}

// A search is a row of looks at a tree that have found nobody new. The zero value is one that
// has not begun.
//
// It must not end while somebody executes a program. Without that:
//
//  1. A daemon of the tree has got another program, and no environment yet. The machine is busy,
//     and others run.
//  2. A few looks, a millisecond apart, find an orphan of whom nobody can tell whose it is.
//  3. The search ends, and the tree with it. The daemon goes on, and nobody looks for it again.
type search struct {
	looks int
	began time.Time // of the first look
}

// again says that a look has found somebody.
func (s *search) again() { s.looks = 0 }

// ends reports, after a look that has found nobody, whether there is nobody.
func (s *search) ends(d doubt) bool {
	if s.looks == 0 {
		s.began = time.Now()
	}
	s.looks++
	switch {
	case !d.unsure:
		return true
	case d.executing:
		return time.Since(s.began) >= strays.ExecLimit
	}
	return s.looks >= strays.Calm
}
