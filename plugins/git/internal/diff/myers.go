package diff

// What is here finds which lines stay: E. Myers, "An O(ND) Difference Algorithm and Its
// Variations", 1986, from both ends at once, with the shortcuts of git's xdiff/xdiffi.c and
// xprepare.c. They bound the time that texts take which have little in common, and decide among
// scripts of equal length.

const (
	// Differences from which on a good place is taken, even if there may be a better one.
	minCost     = 256
	longRun     = 20   // equal lines in a row that make a place good
	heuristic   = 4    // how far a path must have come for each difference to be good
	maxEqual    = 1024 // at most so often a line may be there before it says little
	window      = 100  // lines around one that are looked at
	farthest    = int(^uint(0) >> 1)
	notYet      = -1
	discardRate = 4
)

// counting returns how often each line is in both texts.
func counting(x, y []int, n int) [][2]int {
	count := make([][2]int, n)
	for _, id := range x {
		count[id][0]++
	}
	for _, id := range y {
		count[id][1]++
	}
	return count
}

// A sequence has the lines of a text that matter for finding what stays.
type sequence struct {
	ids, at []int  // which lines they are, and where in the text
	changed []bool // of the text
}

// relevant leaves out lines that the other text lacks, and those that are in it so often that they
// say little, among such lines. They are changed.
func relevant(ids []int, changed []bool, start, end int, others func(id int) int) sequence {
	s := sequence{changed: changed}
	most := min(roughRoot(len(ids)), maxEqual)
	// 0 for lines that the other text lacks, 1 for others, 2 for frequent ones.
	kind := make([]byte, end-start)
	for i := range kind {
		switch n := others(ids[start+i]); {
		case n >= most:
			kind[i] = 2
		case n > 0:
			kind[i] = 1
		}
	}
	for i, k := range kind {
		if k == 1 || k == 2 && !amongLost(kind, i) {
			s.ids, s.at = append(s.ids, ids[start+i]), append(s.at, start+i)
			continue
		}
		changed[start+i] = true
	}
	return s
}

// amongLost reports whether a frequent line stands between many that the other text lacks.
func amongLost(kind []byte, i int) bool {
	run := func(step int) (lacking, frequent int) {
		frequent = 1
		for j := i + step; j >= 0 && j < len(kind) && j >= i-window && j <= i+window; j += step {
			switch kind[j] {
			case 0:
				lacking++
			case 2:
				frequent++
			default:
				return lacking, frequent
			}
		}
		return lacking, frequent
	}
	a, b := run(-1)
	if a == 0 {
		return false
	}
	c, d := run(1)
	if c == 0 {
		return false
	}
	return (b+d)*discardRate < b+d+a+c
}

// roughRoot is about the square root.
func roughRoot(n int) int {
	i := 1
	for ; n > 0; n >>= 2 {
		i <<= 1
	}
	return i
}

type myers struct {
	x, y              sequence
	forward, backward []int // how far paths have come on each diagonal, from both ends
	zero              int   // where diagonal 0 is in them
	maxCost           int
}

func (m *myers) run() {
	n := len(m.x.ids) + len(m.y.ids) + 3
	m.forward, m.backward = make([]int, n+2), make([]int, n+2)
	m.zero = len(m.y.ids) + 1
	m.maxCost = max(roughRoot(n), minCost)
	m.compare(0, len(m.x.ids), 0, len(m.y.ids), false)
}

// compare marks what differs between two parts. With exact no shortcuts are taken.
func (m *myers) compare(x0, x1, y0, y1 int, exact bool) {
	x, y := m.x.ids, m.y.ids
	for x0 < x1 && y0 < y1 && x[x0] == y[y0] {
		x0, y0 = x0+1, y0+1
	}
	for x0 < x1 && y0 < y1 && x[x1-1] == y[y1-1] {
		x1, y1 = x1-1, y1-1
	}
	switch {
	case x0 == x1:
		for ; y0 < y1; y0++ {
			m.y.changed[m.y.at[y0]] = true
		}
	case y0 == y1:
		for ; x0 < x1; x0++ {
			m.x.changed[m.x.at[x0]] = true
		}
	default:
		s := m.divide(x0, x1, y0, y1, exact)
		m.compare(x0, s.x, y0, s.y, s.exactBefore)
		m.compare(s.x, x1, s.y, y1, s.exactAfter)
	}
}

// A meeting is a place that a good path goes through.
type meeting struct {
	x, y                    int
	exactBefore, exactAfter bool // whether the parts are to be compared without shortcuts
}

// A front is how far paths from one end have come, between two diagonals.
type front struct{ low, high int }

// widen takes one more diagonal at each side; those outside of the box are left out.
func (f *front) widen(reach []int, zero, least, most, unreached int) {
	if f.low > least {
		f.low--
		reach[zero+f.low-1] = unreached
	} else {
		f.low++
	}
	if f.high < most {
		f.high++
		reach[zero+f.high+1] = unreached
	} else {
		f.high--
	}
}

// divide finds a place where paths from both ends meet.
func (m *myers) divide(x0, x1, y0, y1 int, exact bool) meeting {
	x, y, zero := m.x.ids, m.y.ids, m.zero
	kf, kb := m.forward, m.backward
	least, most := x0-y1, x1-y0
	first, last := x0-y0, x1-y1
	odd := (first-last)&1 != 0
	f, b := front{first, first}, front{last, last}
	kf[zero+first], kb[zero+last] = x0, x1
	for cost := 1; ; cost++ {
		run := false
		f.widen(kf, zero, least, most, notYet)
		for d := f.high; d >= f.low; d -= 2 {
			i := kf[zero+d+1]
			if kf[zero+d-1] >= i {
				i = kf[zero+d-1] + 1
			}
			from, j := i, i-d
			for i < x1 && j < y1 && x[i] == y[j] {
				i, j = i+1, j+1
			}
			run = run || i-from > longRun
			kf[zero+d] = i
			if odd && b.low <= d && d <= b.high && kb[zero+d] <= i {
				return meeting{i, j, true, true}
			}
		}
		b.widen(kb, zero, least, most, farthest)
		for d := b.high; d >= b.low; d -= 2 {
			i := kb[zero+d-1]
			if i >= kb[zero+d+1] {
				i = kb[zero+d+1] - 1
			}
			from, j := i, i-d
			for i > x0 && j > y0 && x[i-1] == y[j-1] {
				i, j = i-1, j-1
			}
			run = run || from-i > longRun
			kb[zero+d] = i
			if !odd && f.low <= d && d <= f.high && i <= kf[zero+d] {
				return meeting{i, j, true, true}
			}
		}
		if exact {
			continue
		}
		if run && cost > minCost {
			if s, ok := m.promising(f, b, x0, x1, y0, y1, cost); ok {
				return s
			}
		}
		if cost >= m.maxCost {
			return m.enough(f, b, x0, x1, y0, y1)
		}
	}
}

// promising finds a path that has come far with few differences, and ends with many equal lines.
func (m *myers) promising(f, b front, x0, x1, y0, y1, cost int) (s meeting, ok bool) {
	x, y, zero := m.x.ids, m.y.ids, m.zero
	away := func(d, from int) int { return max(d-from, from-d) }
	best := 0
	for d := f.high; d >= f.low; d -= 2 {
		i := m.forward[zero+d]
		j := i - d
		v := i - x0 + j - y0 - away(d, x0-y0)
		if v <= heuristic*cost || v <= best || x0+longRun > i || i >= x1 || y0+longRun > j || j >= y1 {
			continue
		}
		k := 1
		for k < longRun && x[i-k] == y[j-k] {
			k++
		}
		if k == longRun && x[i-k] == y[j-k] {
			best, s = v, meeting{i, j, true, false}
		}
	}
	if best > 0 {
		return s, true
	}
	for d := b.high; d >= b.low; d -= 2 {
		i := m.backward[zero+d]
		j := i - d
		v := x1 - i + y1 - j - away(d, x1-y1)
		if v <= heuristic*cost || v <= best || x0 >= i || i > x1-longRun || y0 >= j || j > y1-longRun {
			continue
		}
		k := 0
		for k < longRun && x[i+k] == y[j+k] {
			k++
		}
		if k == longRun {
			best, s = v, meeting{i, j, false, true}
		}
	}
	return s, best > 0
}

// enough takes the path that has come farthest.
func (m *myers) enough(f, b front, x0, x1, y0, y1 int) meeting {
	zero := m.zero
	far, farX := -1, -1
	for d := f.high; d >= f.low; d -= 2 {
		i := min(m.forward[zero+d], x1)
		j := i - d
		if y1 < j {
			i, j = y1+d, y1
		}
		if far < i+j {
			far, farX = i+j, i
		}
	}
	near, nearX := farthest, farthest
	for d := b.high; d >= b.low; d -= 2 {
		i := max(x0, m.backward[zero+d])
		j := i - d
		if j < y0 {
			i, j = y0+d, y0
		}
		if i+j < near {
			near, nearX = i+j, i
		}
	}
	if x1+y1-near < far-(x0+y0) {
		return meeting{farX, far - farX, true, false}
	}
	return meeting{nearX, near - nearX, false, true}
}
