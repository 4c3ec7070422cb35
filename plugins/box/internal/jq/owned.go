package jq

// owned are the arrays that an assignment has made, by where they are, and at which depth. Nobody
// else has them yet, so the next value goes where it belongs: ".[] |= f" copies its array once, and
// not for each item.
type owned map[*any]int

func (own owned) setItem(a []any, key float64, item any, depth int) (any, error) {
	if i := int(key); float64(i) == key && 0 <= i && i < len(a) {
		if _, ok := own[&a[0]]; ok {
			a[i] = item
			return a, nil
		}
	}
	v, err := setItem(a, key, item)
	if c, ok := v.([]any); ok && cap(c) == len(c) { // with no room for what others add
		own[&c[0]] = depth
	}
	return v, err
}

// handOut notes that somebody is given a value from so deep, and with it what is inside, which may
// be kept.
func (own owned) handOut(v any, depth int) {
	if _, ok := v.([]any); !ok {
		if _, ok := v.(*object); !ok {
			return
		}
	}
	for a, d := range own {
		if d >= depth {
			delete(own, a)
		}
	}
}
