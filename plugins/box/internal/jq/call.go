package jq

// call compiles a variable, or a call of what the program defines, of what is built in, or of what
// the library has.
func (c *compiler) call(f *call, s *scope) expr {
	if f.name[0] == '$' {
		return c.variable(f.name, s)
	}
	args := make([]expr, len(f.args))
	for i, a := range f.args {
		if args[i] = c.query(a, s); args[i] == nil {
			return nil
		}
	}
	name := signature(f.name, len(args))
	if distance, bound := s.lookup(name); bound != nil {
		if bound.param {
			return parameter(distance)
		}
		return func(m *machine, e *env, in result, yield func(result) error) error {
			return m.call(e.at(distance).fn, args, e, in, yield)
		}
	}
	if special, ok := specials()[name]; ok {
		return special(args)
	}
	if plain, ok := builtins()[name]; ok {
		return cartesian(args, plain)
	}
	if source, ok := library()[name]; ok {
		return libraryCall(name, source, args)
	}
	return c.errorf(f.name, "%s is not defined", name)
}

func (c *compiler) variable(name string, s *scope) expr {
	switch name {
	case "$__loc__":
		o := &object{}
		o.set("file", "<top-level>")
		o.set("line", 1.0)
		return constant(o)
	case "$ENV":
		return func(m *machine, _ *env, in result, yield func(result) error) error {
			return yield(in.computed(m.environ()))
		}
	}
	distance, bound := s.lookup(name)
	if bound == nil {
		return c.errorf(name, "%s is not defined", name)
	}
	return func(_ *machine, e *env, in result, yield func(result) error) error {
		return yield(in.computed(e.at(distance).v))
	}
}

// parameter calls an argument where it was written.
func parameter(distance int) expr {
	return func(m *machine, e *env, in result, yield func(result) error) error {
		fn := e.at(distance).fn
		if err := m.enter(); err != nil {
			return err
		}
		defer m.leave()
		return fn.body(m, fn.env, in, yield)
	}
}

func (m *machine) enter() error {
	if m.depth++; m.depth > maxCalls {
		return errCalls
	}
	return m.step()
}

func (m *machine) leave() { m.depth-- }

// call calls fn with arguments that are computed in e.
func (m *machine) call(fn *closure, args []expr, e *env, in result, yield func(result) error) error {
	if err := m.enter(); err != nil {
		return err
	}
	defer m.leave()
	var from func(i int, inner *env) error
	from = func(i int, inner *env) error {
		if i == len(args) {
			return fn.body(m, inner, in, yield)
		}
		if fn.params[i][0] != '$' {
			return from(i+1, &env{up: inner, fn: &closure{body: args[i], env: e}})
		}
		return args[i](m, e, result{v: in.v}, func(r result) error {
			v := &env{up: inner, v: r.v}
			return from(i+1, &env{up: v, fn: &closure{body: constant(r.v)}})
		})
	}
	return from(0, fn.env)
}

// cartesian calls f with all combinations of arguments; the last one varies slowest.
func cartesian(args []expr, f func(m *machine, in any, args []any) (any, error)) expr {
	return func(m *machine, e *env, in result, yield func(result) error) error {
		plain := result{v: in.v}
		vals := make([]any, len(args))
		var from func(i int) error
		from = func(i int) error {
			if i < 0 {
				v, err := f(m, in.v, vals)
				if err == nil {
					err = m.made(v)
				}
				if err != nil {
					return err
				}
				return yield(in.computed(v))
			}
			return args[i](m, e, plain, func(r result) error {
				vals[i] = r.v
				return from(i - 1)
			})
		}
		return from(len(args) - 1)
	}
}

// libraryCall calls a function that is written in jq. It is compiled when it is first needed.
func libraryCall(name, source string, args []expr) expr {
	return func(m *machine, e *env, in result, yield func(result) error) error {
		fn := m.library[name]
		if fn == nil {
			fn = compileLibrary(source)
			m.library[name] = fn
		}
		return m.call(fn, args, e, in, yield)
	}
}

func compileLibrary(source string) *closure {
	q, wrong := parse(source)
	if wrong != "" {
		panic("jq: library: " + wrong)
	}
	c := &compiler{source: source}
	body, params, _ := c.function(q.funcDefs[0], nil)
	if body == nil {
		panic("jq: library: " + c.errs[0])
	}
	return define(nil, body, params).fn
}
