package httpfetch

import "sync"

// shares are a number of places, of which nobody can take so many that the others
// have none: who asks for one more gets it only while fewer are theirs than are free.
// So one alone has half of them, two have a third each, and who comes next finds one
// as long as there are fewer others than places.
type shares struct {
	mu    sync.Mutex // guards what follows
	free  int
	taken map[string]int // by whom; without those who have none
}

func newShares(n int) *shares { return &shares{free: n, taken: map[string]int{}} }

// take takes a place for who, and reports whether it could.
func (s *shares) take(who string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken[who] >= s.free {
		return false
	}
	s.free--
	s.taken[who]++
	return true
}

// give gives a place back that take has taken for who.
func (s *shares) give(who string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free++
	if s.taken[who]--; s.taken[who] == 0 {
		delete(s.taken, who)
	}
}
