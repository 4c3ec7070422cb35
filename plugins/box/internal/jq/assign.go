package jq

// assignment compiles what changes values at paths.
func (c *compiler) assignment(q *query, s *scope) expr {
	left, right := c.query(q.left, s), c.query(q.right, s)
	if left == nil || right == nil {
		return nil
	}
	switch q.op {
	case "=":
		return assign(left, right, func(_, with any) (any, error) { return with, nil })
	case "|=":
		return modify(left, right)
	case "//=":
		return assign(left, right, func(old, with any) (any, error) {
			if truth(old) {
				return old, nil
			}
			return with, nil
		})
	}
	return assign(left, right, operators()[q.op[:1]])
}

// assign replaces, for each result of with, all that left finds by what op makes of the old value
// and the result.
func assign(left, with expr, op func(old, with any) (any, error)) expr {
	return func(m *machine, e *env, in result, yield func(result) error) error {
		return with(m, e, result{v: in.v}, func(w result) error {
			v, own := in.v, owned{}
			err := paths(m, e, left, in.v, func(keys []any, _ result) (err error) {
				v, err = own.setPath(v, keys, func(old any) (any, error) { return op(old, w.v) })
				if err == nil {
					err = m.made(v)
				}
				return err
			})
			if err != nil {
				return err
			}
			return yield(in.computed(v))
		})
	}
}

// modify replaces all that left finds by the first result that f has for it. Where there is none it
// is deleted.
func modify(left, f expr) expr {
	return func(m *machine, e *env, in result, yield func(result) error) error {
		v, own := in.v, owned{}
		var remove []any
		err := paths(m, e, left, in.v, func(keys []any, _ result) (err error) {
			old, err := getPath(v, keys)
			if err != nil {
				return err
			}
			own.handOut(old, len(keys))
			r, ok, err := first(m, e, f, old)
			if err != nil {
				return err
			}
			if !ok {
				remove = append(remove, keys)
				return nil
			}
			v, err = own.setPath(v, keys, func(any) (any, error) { return r, nil })
			if err == nil {
				err = m.made(v)
			}
			return err
		})
		if err != nil {
			return err
		}
		if v, err = deletePaths(v, remove); err != nil {
			return err
		}
		return yield(in.computed(v))
	}
}

// first returns the first result of x.
func first(m *machine, e *env, x expr, in any) (v any, ok bool, err error) {
	enough := &leaving{}
	err = x(m, e, result{v: in}, func(r result) error {
		v, ok = r.v, true
		return enough
	})
	if err == error(enough) {
		err = nil
	}
	return v, ok, err
}
