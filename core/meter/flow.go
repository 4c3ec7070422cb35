package meter

// What a function costs an engine that compiles it is not linear in its size:
// wherever control can come from several places, what each local can be has to
// be joined. wazero 1.12 takes some 0.8 ns times the square of the number of
// blocks and branches, times the number of locals and 40 (measured with 1,666
// to 8,333 of them, and 10 to 3,000 locals), and no one can stop it meanwhile.
// What a block takes and leaves counts like so many locals: 1,000 blocks that
// each take 1,000 values compile for 2 s, and are 12 kB.

// flowBase is what is added to the number of locals.
const flowBase = 40

// join notes n blocks or branches.
func (s *scan) join(n int) {
	s.joins += uint64(n)
	if s.err == nil && s.joins*uint64(s.locals+s.values+1) > uint64(s.c.MaxJoins) {
		s.fail(ErrLimit, "a function of more than "+utoa(uint32(s.c.MaxJoins))+" blocks and branches times locals")
	}
}

// fewValues is as many values as compilers have code pass on at once, but for a
// function here and there.
const fewValues = 16

// pass notes that n values are passed on at once. An engine has
// something to do for each, and nothing of the module's size says how many there
// are: the type says it once, and then each block or call of that type is two or
// three bytes. 400 blocks inside each other that leave 1,000 values, 40 times over,
// are 169 kB, and compile for 13 s.
func (s *scan) pass(n int) {
	if n <= fewValues {
		return
	}
	s.passed += uint64(n - fewValues)
	if s.err == nil && s.passed > uint64(s.c.MaxValues) {
		s.fail(ErrLimit, "more than "+utoa(uint32(s.c.MaxValues))+" values passed on in blocks, branches and calls of many")
	}
}

// arity is how many values a call of t takes and leaves.
func (t funcType) arity() int { return len(t.params) + len(t.results) }

// addFlow counts the function that was read. With the highest MaxJoins the
// product is below 1<<62 for 1 local or none, and less for more.
func (s *scan) addFlow() {
	if s.err != nil {
		return
	}
	s.flow += s.joins * s.joins * uint64(s.locals+s.values+flowBase)
	if s.flow > uint64(s.c.MaxFlow)<<20 {
		s.fail(ErrLimit, "too many blocks and branches in large functions: more than "+utoa(uint32(s.c.MaxFlow))+
			" Mi, in squares times locals")
	}
}
