package diff

import "math"

// A comparer finds which lines of two files have no partner, by the algorithm of Eugene W. Myers,
// "An O(ND) Difference Algorithm and Its Variations" (1986), the one that searches from both ends.
// Lines are numbers: equal lines are equal numbers.
type comparer struct {
	a, b      []int
	goneA     []bool // lines of a without a partner
	goneB     []bool
	fwd, bwd  []int // furthest x on each diagonal, from the front and from the back
	middle    int   // index of diagonal 0
	realA     []int // the place in the file of each line that is compared
	realB     []int
	expensive int // after so many rounds a good cut will do
}

// compareLines returns which lines of a and of b were deleted and inserted. Lines are numbers below
// n.
func compareLines(a, b []int, n int) (goneA, goneB []bool) {
	goneA, goneB = make([]bool, len(a)), make([]bool, len(b))
	c := &comparer{goneA: goneA, goneB: goneB}
	// Lines that the other file has not can't be matched, and would only cost time.
	inA, inB := make([]bool, n), make([]bool, n)
	for _, l := range a {
		inA[l] = true
	}
	for _, l := range b {
		inB[l] = true
	}
	c.a, c.realA = keep(a, inB, c.goneA)
	c.b, c.realB = keep(b, inA, c.goneB)
	diagonals := len(c.a) + len(c.b) + 3
	c.fwd, c.bwd = make([]int, diagonals), make([]int, diagonals)
	c.middle = len(c.b) + 1
	c.expensive = max(4096, int(math.Sqrt(float64(diagonals)))) // GNU's bound
	c.compare(0, len(c.a), 0, len(c.b))
	shift(a, c.goneA, c.goneB)
	shift(b, c.goneB, c.goneA)
	return goneA, goneB
}

// keep returns the lines that the other file has too, and where they stand.
func keep(lines []int, other []bool, gone []bool) (kept, places []int) {
	for i, l := range lines {
		if !other[l] {
			gone[i] = true
			continue
		}
		kept = append(kept, l)
		places = append(places, i)
	}
	return kept, places
}

func (c *comparer) compare(x0, x1, y0, y1 int) {
	for {
		for x0 < x1 && y0 < y1 && c.a[x0] == c.b[y0] {
			x0++
			y0++
		}
		for x0 < x1 && y0 < y1 && c.a[x1-1] == c.b[y1-1] {
			x1--
			y1--
		}
		if x0 == x1 || y0 == y1 {
			for ; y0 < y1; y0++ {
				c.goneB[c.realB[y0]] = true
			}
			for ; x0 < x1; x0++ {
				c.goneA[c.realA[x0]] = true
			}
			return
		}
		x, y := c.cut(x0, x1, y0, y1)
		c.compare(x0, x, y0, y)
		x0, y0 = x, y
	}
}

// cut returns a point on a shortest way from (x0,y0) to (x1,y1).
func (c *comparer) cut(x0, x1, y0, y1 int) (x, y int) {
	fd, bd, o := c.fwd, c.bwd, c.middle
	lowest, highest := x0-y1, x1-y0
	fmid, bmid := x0-y0, x1-y1
	fmin, fmax, bmin, bmax := fmid, fmid, bmid, bmid
	odd := (fmid-bmid)&1 != 0
	fd[o+fmid], bd[o+bmid] = x0, x1
	for round := 1; ; round++ {
		fmin, fmax = widen(fd, o, fmin, fmax, lowest, highest, -1)
		for d := fmax; d >= fmin; d -= 2 {
			lo, hi := fd[o+d-1], fd[o+d+1]
			x := lo + 1
			if lo < hi {
				x = hi
			}
			for x < x1 && x-d < y1 && c.a[x] == c.b[x-d] {
				x++
			}
			fd[o+d] = x
			if odd && bmin <= d && d <= bmax && bd[o+d] <= x {
				return x, x - d
			}
		}
		bmin, bmax = widen(bd, o, bmin, bmax, lowest, highest, math.MaxInt)
		for d := bmax; d >= bmin; d -= 2 {
			lo, hi := bd[o+d-1], bd[o+d+1]
			x := hi - 1
			if lo < hi {
				x = lo
			}
			for x0 < x && y0 < x-d && c.a[x-1] == c.b[x-d-1] {
				x--
			}
			bd[o+d] = x
			if !odd && fmin <= d && d <= fmax && x <= fd[o+d] {
				return x, x - d
			}
		}
		if round >= c.expensive {
			return c.best(fmin, fmax, bmin, bmax, x0, x1, y0, y1)
		}
	}
}

// widen adds a diagonal on each side, or gives up those outside of the rectangle.
func widen(v []int, o, dmin, dmax, lowest, highest, sentinel int) (int, int) {
	if dmin > lowest {
		dmin--
		v[o+dmin-1] = sentinel
	} else {
		dmin++
	}
	if dmax < highest {
		dmax++
		v[o+dmax+1] = sentinel
	} else {
		dmax--
	}
	return dmin, dmax
}

// best returns the point that is furthest from its end.
func (c *comparer) best(fmin, fmax, bmin, bmax, x0, x1, y0, y1 int) (int, int) {
	fx, fbest := x0, -1
	fy := y0
	for d := fmax; d >= fmin; d -= 2 {
		x := min(c.fwd[c.middle+d], x1)
		y := x - d
		if y > y1 {
			x, y = y1+d, y1
		}
		if x+y > fbest {
			fbest, fx, fy = x+y, x, y
		}
	}
	bx, bbest := x1, math.MaxInt
	by := y1
	for d := bmax; d >= bmin; d -= 2 {
		x := max(x0, c.bwd[c.middle+d])
		y := x - d
		if y < y0 {
			x, y = y0+d, y0
		}
		if x+y < bbest {
			bbest, bx, by = x+y, x, y
		}
	}
	if x1+y1-bbest < fbest-(x0+y0) {
		return fx, fy
	}
	return bx, by
}
