package vt

const (
	// MaxParams is the number of values that a sequence can have,
	// sub-parameters included. Those beyond are dropped.
	MaxParams = 32

	// MaxParam is the largest value. It is far beyond any screen, and small
	// enough to be added to a position without a thought of overflow. Larger
	// ones count as MaxParam.
	MaxParam = 1<<16 - 1
)

// Params are the values between the start of a control sequence and its final
// byte. A semicolon begins the next parameter, a colon the next sub-parameter
// of the same one: 4:3;1 is the values 4, 3 and 1, of which 3 is a
// sub-parameter. There is always at least one value.
type Params struct {
	n   int
	sub uint32 // bit i: values[i] is a sub-parameter
	// The last one is where the digits of values beyond MaxParams go.
	values [MaxParams + 1]int32
}

// Len returns the number of values, sub-parameters included.
func (p *Params) Len() int { return min(p.n, MaxParams) }

// Value returns value i. An empty parameter is 0, an empty sub-parameter -1. A
// value that is not there is 0.
func (p *Params) Value(i int) int {
	if i >= p.Len() {
		return 0
	}
	return int(p.values[i])
}

// Or returns value i, or def if that is 0 or not there. It is right for counts
// and positions, where 0 asks for the default.
func (p *Params) Or(i, def int) int {
	if v := p.Value(i); v > 0 {
		return v
	}
	return def
}

// second returns the second parameter, leaving out sub-parameters of the first.
// It is 0 if it is empty or not there.
func (p *Params) second() int {
	i := 1
	for i < p.Len() && p.Sub(i) {
		i++
	}
	return p.Value(i)
}

// Sub reports whether value i is a sub-parameter of the value before it.
func (p *Params) Sub(i int) bool { return p.sub>>i&1 != 0 }

func (p *Params) reset() {
	p.n = 1
	p.sub = 0
	p.values[0] = 0
}

// last returns the value that digits are for.
func (p *Params) last() *int32 { return &p.values[p.n-1] }

// next begins another value and returns it.
func (p *Params) next(sub bool) *int32 {
	i := p.n
	p.n = min(i+1, len(p.values))
	v := p.last()
	*v = 0
	if sub {
		*v = -1
		p.sub |= 1 << i // no bit for a value beyond MaxParams
	}
	return v
}
