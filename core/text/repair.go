package text

import "unicode/utf8"

// replacement is U+FFFD in UTF-8.
const replacement = "\uFFFD"

// enough is the number of good bytes in a row, in bytes, that [Repairer.Next]
// copies before it hopes that the ones behind them need no copy.
const enough = 16

// A Repairer turns a stream of bytes into valid UTF-8, chunk by chunk. Each
// maximal subpart of an ill-formed sequence becomes one U+FFFD, as in every
// browser; the result does not depend on where the stream was cut. The zero
// value is ready to use. It allocates nothing.
//
// Feed it each chunk p like this, and call [Repairer.Flush] after the last:
//
//	for len(p) > 0 {
//		valid, p = r.Next(p)
//		use(valid)
//	}
//
// The rule is that of the Unicode Standard 16.0, section 3.9, "U+FFFD
// Substitution of Maximal Subparts", and of the decoder in
// https://encoding.spec.whatwg.org/#utf-8-decoder. It is not that of
// [strings.ToValidUTF8], one U+FFFD per run, nor that of range over a string,
// one per byte.
type Repairer struct {
	state utf8State // after held
	n     uint8     // bytes in held
	held  [3]byte   // the start of a rune that the next chunk may complete
	buf   [128]byte // what Next returns where it cannot return a part of p
}

// Next repairs a first part of p. It returns that part as valid UTF-8, whole
// runes, perhaps none, and the rest of p, which is shorter than p. An
// incomplete rune at the end of p, at most 3 bytes, is held back.
//
// Where p is good, valid is a part of p; elsewhere it is memory of the Repairer
// and lasts until the next call. p is not kept.
func (r *Repairer) Next(p []byte) (valid, rest []byte) {
	if r.state == whole {
		if n := wellFormed(p); n > 0 {
			return p[:n:n], p[n:]
		}
	}
	return r.mend(p)
}

// Flush ends the stream: it returns U+FFFD if a part of a rune was held back,
// else nothing, and the Repairer is ready for another stream. The bytes last
// until the next call.
func (r *Repairer) Flush() []byte {
	if r.state == whole {
		return nil
	}
	r.state, r.n = whole, 0
	return append(r.buf[:0], replacement...)
}

// mend is Next where p starts with a bad byte, or bytes are held. It goes on
// until buf is full, so that garbage does not cost one call per U+FFFD.
func (r *Repairer) mend(p []byte) (valid, rest []byte) {
	at := r.state
	out := append(r.buf[:0], r.held[:r.n]...)
	end := 0  // of the last whole rune in out
	good := 0 // start of the good runes before end
	for len(p) > 0 && len(out)+len(replacement) <= len(r.buf) && end-good < enough {
		next := at.step(p[0])
		if next == broken {
			// out[end:] is a maximal subpart and p[0] gets a second
			// chance, unless it came first and was the subpart itself.
			if at == whole {
				p = p[1:]
			}
			at = whole
			out = append(out[:end], 0xEF, 0xBF, 0xBD) // replacement, without a call
			end, good = len(out), len(out)
			continue
		}
		at = next
		out = append(out, p[0])
		p = p[1:]
		if at == whole {
			end = len(out)
		}
	}
	r.state = at
	r.n = uint8(copy(r.held[:], out[end:]))
	return out[:end:end], p
}

// wellFormed returns the length of the longest start of p that is valid UTF-8.
func wellFormed(p []byte) int {
	s, at := p[:len(p):len(p)], whole
	for len(s) >= 8 {
		if at == whole && word(s)&nonASCII == 0 {
			s = s[8:]
			for len(s) >= 32 && (word(s)|word(s[8:])|word(s[16:])|word(s[24:]))&nonASCII == 0 {
				s = s[32:]
			}
			continue
		}
		// Unrolled: a loop here takes twice the time.
		next := at.step(s[0]).step(s[1]).step(s[2]).step(s[3]).
			step(s[4]).step(s[5]).step(s[6]).step(s[7])
		if next == broken {
			break
		}
		s, at = s[8:], next
	}

	// Fewer than 8 bytes are left, or a bad one is among the next 8.
	n := len(p) - len(s)
	if at != whole {
		for n--; !utf8.RuneStart(p[n]); n-- {
		}
	}
	at = whole
	for i := n; i < len(p) && at != broken; i++ {
		if at = at.step(p[i]); at == whole {
			n = i + 1
		}
	}
	return n
}

// nonASCII has the bits of a [word] that only bytes beyond ASCII have.
const nonASCII = 0x8080808080808080

// word returns the first 8 bytes of p with one load.
func word(p []byte) uint64 {
	_ = p[7]
	return uint64(p[0]) | uint64(p[1])<<8 | uint64(p[2])<<16 | uint64(p[3])<<24 |
		uint64(p[4])<<32 | uint64(p[5])<<40 | uint64(p[6])<<48 | uint64(p[7])<<56
}

// A utf8State is what the bytes read so far ask of the next one. It is a shift
// count into a row of utf8Steps, so a byte costs one shift, whatever it is, and
// no branch: https://gist.github.com/pervognsen/218ea17743e1442e59bb60d29b1aa725
type utf8State uint8

const (
	whole   utf8State = 6 * iota // nothing: a rune has ended
	need1                        // one continuation byte
	need2                        // two
	need3                        // three
	afterE0                      // two, and no overlong form
	afterED                      // two, and no surrogate
	afterF0                      // three, and no overlong form
	afterF4                      // three, and nothing above U+10FFFF
	broken                       // nothing will do, for ever
)

// utf8Steps holds the next state for a byte and a state: the 6 bits at the state.
var utf8Steps = makeUTF8Steps()

func (s utf8State) step(b byte) utf8State { return utf8State(utf8Steps[b] >> (s & 63) & 63) }

// makeUTF8Steps spells out the Unicode Standard 16.0, Table 3-7, "Well-Formed UTF-8
// Byte Sequences".
func makeUTF8Steps() (rows [256]uint64) {
	for b := range rows {
		for s := whole; s <= broken; s += 6 {
			rows[b] |= uint64(broken) << s
		}
	}
	for _, t := range [...]struct {
		from   utf8State
		lo, hi byte
		to     utf8State
	}{
		{whole, 0x00, 0x7F, whole},
		{whole, 0xC2, 0xDF, need1},
		{whole, 0xE0, 0xE0, afterE0},
		{whole, 0xE1, 0xEC, need2},
		{whole, 0xED, 0xED, afterED},
		{whole, 0xEE, 0xEF, need2},
		{whole, 0xF0, 0xF0, afterF0},
		{whole, 0xF1, 0xF3, need3},
		{whole, 0xF4, 0xF4, afterF4},
		{need1, 0x80, 0xBF, whole},
		{need2, 0x80, 0xBF, need1},
		{need3, 0x80, 0xBF, need2},
		{afterE0, 0xA0, 0xBF, need1},
		{afterED, 0x80, 0x9F, need1},
		{afterF0, 0x90, 0xBF, need2},
		{afterF4, 0x80, 0x8F, need2},
	} {
		for b := int(t.lo); b <= int(t.hi); b++ {
			rows[b] &^= 63 << t.from
			rows[b] |= uint64(t.to) << t.from
		}
	}
	return rows
}
