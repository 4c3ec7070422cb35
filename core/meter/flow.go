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
