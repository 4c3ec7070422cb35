package regex

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// A set is a set of symbols. The zero value is empty.
type set struct {
	ascii  [128]bool
	ranges []symbol // pairs lo, hi from 128 up; sorted and apart after normalize
}

func (s *set) has(c symbol) bool {
	if c < utf8.RuneSelf {
		return s.ascii[c]
	}
	lo, hi := 0, len(s.ranges)/2
	for lo < hi {
		mid := (lo + hi) / 2
		switch {
		case c < s.ranges[2*mid]:
			hi = mid
		case c > s.ranges[2*mid+1]:
			lo = mid + 1
		default:
			return true
		}
	}
	return false
}

func (s *set) add(lo, hi symbol) {
	for c := lo; c <= hi && c < utf8.RuneSelf; c++ {
		s.ascii[c] = true
	}
	if hi >= utf8.RuneSelf {
		s.ranges = append(s.ranges, max(lo, utf8.RuneSelf), hi)
	}
}

func (s *set) addSet(o *set) {
	for c, in := range o.ascii {
		s.ascii[c] = s.ascii[c] || in
	}
	s.ranges = append(s.ranges, o.ranges...)
}

func (s *set) addTable(t *unicode.RangeTable) {
	for _, r := range t.R16 {
		s.addStride(symbol(r.Lo), symbol(r.Hi), symbol(r.Stride))
	}
	for _, r := range t.R32 {
		s.addStride(symbol(r.Lo), symbol(r.Hi), symbol(r.Stride))
	}
}

func (s *set) addStride(lo, hi, stride symbol) {
	if stride == 1 {
		s.add(lo, hi)
		return
	}
	for c := lo; c <= hi; c += stride {
		s.add(c, c)
	}
}

// normalize sorts the ranges and joins those that touch.
func (s *set) normalize() {
	pairs := make([][2]symbol, 0, len(s.ranges)/2)
	for i := 0; i < len(s.ranges); i += 2 {
		pairs = append(pairs, [2]symbol{s.ranges[i], s.ranges[i+1]})
	}
	slices.SortFunc(pairs, func(a, b [2]symbol) int { return int(a[0] - b[0]) })
	s.ranges = s.ranges[:0]
	for _, p := range pairs {
		if n := len(s.ranges); n > 0 && p[0] <= s.ranges[n-1]+1 {
			s.ranges[n-1] = max(s.ranges[n-1], p[1])
			continue
		}
		s.ranges = append(s.ranges, p[0], p[1])
	}
}

// negate turns s into all characters that are not in it. Bad bytes are in neither.
func (s *set) negate() {
	s.normalize()
	for c := range s.ascii {
		s.ascii[c] = !s.ascii[c]
	}
	out := []symbol{}
	from := symbol(utf8.RuneSelf)
	for i := 0; i < len(s.ranges); i += 2 {
		if s.ranges[i] > from {
			out = append(out, from, s.ranges[i]-1)
		}
		from = s.ranges[i+1] + 1
	}
	if from <= utf8.MaxRune {
		out = append(out, from, utf8.MaxRune)
	}
	s.ranges = out
}

// fold adds the other case of every character in s.
func (s *set) fold() {
	s.normalize()
	var more set
	for c, in := range s.ascii {
		if in {
			more.addFolds(symbol(c))
		}
	}
	for i := 0; i < len(s.ranges); i += 2 {
		for c := s.ranges[i]; c <= min(s.ranges[i+1], maxFold); c++ {
			more.addFolds(c)
		}
	}
	s.addSet(&more)
	s.normalize()
}

// maxFold is above all characters that have another case.
const maxFold = 0x1E943

func (s *set) addFolds(c symbol) {
	for f := unicode.SimpleFold(c); f != c; f = unicode.SimpleFold(f) {
		s.add(f, f)
	}
}
