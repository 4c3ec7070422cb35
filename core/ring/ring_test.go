package ring_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/core/ring"
)

func TestRing(t *testing.T) {
	for _, tt := range []struct {
		name    string
		limit   int
		in      []string // appended one by one
		want    string
		dropped bool
	}{
		{"nothing", 10, nil, "", false},
		{"only nothing", 10, []string{"", ""}, "", false},
		{"below the limit", 10, []string{"abc", "def"}, "abcdef", false},
		{"exactly the limit", 6, []string{"abc", "def"}, "abcdef", false},
		{"exactly the limit at once", 6, []string{"abcdef"}, "abcdef", false},
		{"one too many", 6, []string{"abc", "def", "g"}, "bcdefg", true},
		{"one too many at once", 6, []string{"abcdefg"}, "bcdefg", true},
		{"twice around", 4, []string{"abc", "def", "ghi", "jkl"}, "ijkl", true},
		{"around exactly", 4, []string{"ab", "cd", "ef", "gh"}, "efgh", true},
		{"huge after wrapping", 4, []string{"abc", "def", "0123456789"}, "6789", true},
		{"limit after wrapping", 4, []string{"abc", "def", "0123"}, "0123", true},
		{"limit 0, nothing", 0, nil, "", false},
		{"limit 0", 0, []string{"a"}, "", true},
		{"limit below 0", -1, []string{"a"}, "", true},
		{"limit 1", 1, []string{"a", "b"}, "b", true},
		{"cut before a rune", 5, []string{"aé", "日b"}, "日b", true},
		{"cut in a rune of 2", 4, []string{"é", "日"}, "日", true},
		{"cut in a rune of 3", 5, []string{"日", "本"}, "本", true},
		{"cut in a rune of 4", 5, []string{"😀", "🚀"}, "🚀", true},
		{"last rune too big", 3, []string{"abc😀"}, "", true},
		{"last rune too big by far", 1, []string{"日"}, "", true},
		{"rune as big as the limit", 4, []string{"abc😀"}, "😀", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := ring.New(tt.limit)
			total := 0
			for _, s := range tt.in {
				p := []byte(s)
				r.Append(p)
				clear(p) // it was lent, not given
				total += len(s)
			}
			if got, want := string(r.AppendTo([]byte(">"))), ">"+tt.want; got != want {
				t.Errorf("AppendTo: got %q, want %q", got, want)
			}
			if got := r.Dropped(); got != tt.dropped {
				t.Errorf("Dropped: got %v, want %v", got, tt.dropped)
			}
			if got, want := r.Total(), uint64(total); got != want {
				t.Errorf("Total: got %d, want %d", got, want)
			}
			if got, want := r.Len(), min(total, max(tt.limit, 0)); got != want {
				t.Errorf("Len: got %d, want %d", got, want)
			}
		})
	}
}

func TestRingZeroValue(t *testing.T) {
	var r ring.Ring
	r.Append([]byte("abc"))
	if got := r.AppendTo(nil); len(got) != 0 {
		t.Errorf("AppendTo: got %q, want nothing", got)
	}
	if got, want := r.Total(), uint64(3); got != want {
		t.Errorf("Total: got %d, want %d", got, want)
	}
	if !r.Dropped() {
		t.Error("Dropped: got false, want true")
	}
}

func TestRingAppendTail(t *testing.T) {
	whole := ring.New(20)
	whole.Append([]byte("aé日😀")) // 1 + 2 + 3 + 4 bytes
	cut := ring.New(9)
	cut.Append([]byte("aé日😀"))
	for _, tt := range []struct {
		name string
		r    *ring.Ring
		n    int
		want string
	}{
		{"below 0", &whole, -1, ""},
		{"0", &whole, 0, ""},
		{"below a rune", &whole, 3, ""},
		{"a rune", &whole, 4, "😀"},
		{"almost two", &whole, 6, "😀"},
		{"two", &whole, 7, "日😀"},
		{"all but one", &whole, 9, "é日😀"},
		{"all", &whole, 10, "aé日😀"},
		{"more than all", &whole, math.MaxInt, "aé日😀"},
		{"all but one, of the dropped", &cut, 8, "日😀"},
		{"all, of the dropped", &cut, 9, "é日😀"},
		{"more than all, of the dropped", &cut, 99, "é日😀"},
	} {
		if got := string(tt.r.AppendTail([]byte(">"), tt.n)); got != ">"+tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, ">"+tt.want)
		}
	}
}

func TestRingAppendSince(t *testing.T) {
	whole := ring.New(20)
	whole.Append([]byte("aé日😀")) // at 0, 1, 3 and 6; the end is at 10
	cut := ring.New(8)
	cut.Append([]byte("aé日😀")) // the first byte is the last one of é, at 2
	gone := ring.New(20)
	gone.Append([]byte("aé日😀"))
	gone.Discard()
	for _, tt := range []struct {
		name string
		r    *ring.Ring
		off  uint64
		want string
		lost uint64
	}{
		{"whole", &whole, 0, "aé日😀", 0},
		{"whole", &whole, 1, "é日😀", 0},
		{"whole", &whole, 2, "日😀", 1},
		{"whole", &whole, 6, "😀", 0},
		{"whole", &whole, 7, "", 3},
		{"whole", &whole, 10, "", 0},
		{"whole", &whole, 11, "", 0},
		{"whole", &whole, math.MaxUint64, "", 0},
		{"cut", &cut, 0, "日😀", 3},
		{"cut", &cut, 1, "日😀", 2},
		{"cut", &cut, 2, "日😀", 1},
		{"cut", &cut, 3, "日😀", 0},
		{"cut", &cut, 6, "😀", 0},
		{"cut", &cut, 10, "", 0},
		{"gone", &gone, 0, "", 10},
		{"gone", &gone, 10, "", 0},
	} {
		got, next, lost := tt.r.AppendSince([]byte(">"), tt.off)
		if string(got) != ">"+tt.want || next != 10 || lost != tt.lost {
			t.Errorf("%s since %d: got %q, %d, %d, want %q, 10, %d", tt.name, tt.off, got, next, lost, ">"+tt.want, tt.lost)
		}
	}
}

func TestRingDiscard(t *testing.T) {
	r := ring.New(4)
	r.Discard()
	if r.Dropped() {
		t.Error("Dropped after Discard of nothing: got true, want false")
	}
	r.Append([]byte("abc"))
	r.Discard()
	if r.Len() != 0 || r.Cap() != 0 || r.Total() != 3 || !r.Dropped() {
		t.Errorf("after Discard: got Len %d, Cap %d, Total %d, Dropped %v, want 0, 0, 3, true", r.Len(), r.Cap(), r.Total(), r.Dropped())
	}
	if got := r.AppendTo(nil); len(got) != 0 {
		t.Errorf("AppendTo after Discard: got %q, want nothing", got)
	}

	r.Append([]byte("de"))
	if got, want := string(r.AppendTo(nil)), "de"; got != want {
		t.Errorf("after Discard and Append: got %q, want %q", got, want)
	}
	got, next, lost := r.AppendSince(nil, 1)
	if string(got) != "de" || next != 5 || lost != 2 {
		t.Errorf("AppendSince 1: got %q, %d, %d, want %q, 5, 2", got, next, lost, "de")
	}
}

// Memory follows the output, and stays within the limit.
func TestRingCap(t *testing.T) {
	for _, tt := range []struct {
		limit, in, want int // in bytes
	}{
		{1 << 20, 0, 0},
		{1 << 20, 1, 512},
		{1 << 20, 512, 512},
		{1 << 20, 513, 1024},
		{1 << 20, 4000, 4096},
		{1 << 20, 1 << 20, 1 << 20},
		{1 << 20, 9 << 20, 1 << 20},
		{math.MaxInt, 1000, 1024},
		{1000, 1, 512},
		{1000, 513, 1000},
		{1000, 5000, 1000},
		{100, 1, 100},
		{0, 5000, 0},
	} {
		r := ring.New(tt.limit)
		line := []byte("x")
		for range tt.in {
			r.Append(line)
		}
		if got := r.Cap(); got != tt.want {
			t.Errorf("limit %d, %d bytes: got Cap %d, want %d", tt.limit, tt.in, got, tt.want)
		}
	}
}

// A piece as long as the limit takes its memory at once.
func TestRingGrowsAtOnce(t *testing.T) {
	p := make([]byte, 3<<20)
	allocs := testing.AllocsPerRun(10, func() {
		r := ring.New(1 << 20)
		r.Append(p)
	})
	if allocs != 1 {
		t.Errorf("got %v allocations, want 1", allocs)
	}
}

func TestRingDoesNotAllocate(t *testing.T) {
	const limit = 10_000
	r := ring.New(limit)
	r.Append(make([]byte, limit))
	dst := make([]byte, 0, limit)
	for _, n := range []int{1, 80, limit - 1, limit, 3 * limit} {
		p := make([]byte, n)
		allocs := testing.AllocsPerRun(1000, func() {
			r.Append(p)
			dst = r.AppendTo(dst[:0])
			dst = r.AppendTail(dst[:0], n)
			dst, _, _ = r.AppendSince(dst[:0], r.Total()-uint64(n))
		})
		if allocs != 0 {
			t.Errorf("%d bytes: got %v allocations, want 0", n, allocs)
		}
	}
}

// A naive is what a Ring must be like: it keeps all and knows every boundary.
type naive struct {
	limit int
	all   []byte
	gone  int // bytes discarded
}

func (m *naive) dropped() int { return max(m.gone, len(m.all)-m.limit, 0) }

// since returns what a Ring has from off on. It finds the boundaries by decoding
// the valid stream from its very start.
func (m *naive) since(off uint64) (out []byte, lost uint64) {
	if off > uint64(len(m.all)) {
		return nil, 0
	}
	start := max(int(off), m.dropped())
	boundary := 0
	for boundary < start {
		_, n := utf8.DecodeRune(m.all[boundary:])
		boundary += n
	}
	return m.all[boundary:], uint64(boundary) - off
}

// FuzzRing tells a Ring and a naive one the same story and compares them.
func FuzzRing(f *testing.F) {
	for _, s := range []string{
		"", "a", "hello, world\n", "aé日😀", strings.Repeat("😀", 30),
		strings.Repeat("日本語 and ", 50), "\xff\xf0\x9f\x98é\x80\x80\x80\x80\x80",
	} {
		for limit := range uint16(20) {
			f.Add([]byte(s), limit*limit, uint64(limit))
		}
	}
	f.Fuzz(func(t *testing.T, in []byte, limit uint16, seed uint64) {
		rnd := rand.New(rand.NewPCG(seed, 0))
		stream := bytes.ToValidUTF8(in, []byte("�"))
		m := naive{limit: int(limit)}
		r := ring.New(int(limit))
		var follower uint64 // where a streaming reader is
		for len(stream) > 0 {
			n := rnd.IntN(min(len(stream), 100) + 1)
			for n < len(stream) && !utf8.RuneStart(stream[n]) {
				n++
			}
			r.Append(stream[:n])
			m.all = append(m.all, stream[:n]...)
			stream = stream[n:]
			if rnd.IntN(50) == 0 {
				r.Discard()
				m.gone = len(m.all)
			}

			want, _ := m.since(0)
			compare(t, "AppendTo", r.AppendTo(nil), want)
			if len(want) > int(limit) || !utf8.Valid(want) {
				t.Fatalf("the naive ring is wrong: limit %d, %q", limit, want)
			}
			if got, want := r.Total(), uint64(len(m.all)); got != want {
				t.Fatalf("Total: got %d, want %d", got, want)
			}
			if got, want := r.Dropped(), m.dropped() > 0; got != want {
				t.Fatalf("Dropped: got %v, want %v", got, want)
			}
			if got := r.Cap(); got > int(limit) {
				t.Fatalf("Cap: got %d, want %d at most", got, limit)
			}

			tail := rnd.IntN(len(m.all) + 2)
			want, _ = m.since(uint64(max(0, len(m.all)-tail)))
			compare(t, "AppendTail", r.AppendTail(nil, tail), want)

			since(t, &r, &m, uint64(rnd.IntN(len(m.all)+2)))
			if rnd.IntN(3) == 0 {
				since(t, &r, &m, follower)
				follower = r.Total()
			}
		}
		if m.gone == 0 {
			chunking(t, &m)
		}

		// What breaks the promise of valid UTF-8 must break nothing else.
		raw := ring.New(int(limit))
		raw.Append(in[:len(in)/2])
		raw.Append(in[len(in)/2:])
		got := raw.AppendTo(nil)
		if len(got) > int(limit) || !bytes.HasSuffix(in, got) || len(got) < min(len(in), int(limit))-3 {
			t.Fatalf("limit %d: got %q of %q", limit, got, in)
		}
	})
}

func compare(t *testing.T, what string, got, want []byte) {
	t.Helper()
	if !bytes.Equal(got, want) {
		t.Fatalf("%s: got %q, want %q", what, got, want)
	}
}

func since(t *testing.T, r *ring.Ring, m *naive, off uint64) {
	t.Helper()
	want, wantLost := m.since(off)
	got, next, lost := r.AppendSince(nil, off)
	compare(t, "AppendSince", got, want)
	if next != r.Total() || lost != wantLost {
		t.Fatalf("AppendSince %d: got next %d and lost %d, want %d and %d", off, next, lost, r.Total(), wantLost)
	}
}

// chunking checks that the pieces a stream came in make no difference, not even
// pieces of a rune.
func chunking(t *testing.T, m *naive) {
	t.Helper()
	want, _ := m.since(0)
	once, bytewise := ring.New(m.limit), ring.New(m.limit)
	once.Append(m.all)
	for i := range m.all {
		bytewise.Append(m.all[i : i+1])
	}
	compare(t, "all at once", once.AppendTo(nil), want)
	compare(t, "byte by byte", bytewise.AppendTo(nil), want)
}

func ExampleRing() {
	r := ring.New(16)
	var seen uint64
	for _, line := range []string{"make: started\n", "42 % done\n", "make: finished ✓\n"} {
		r.Append([]byte(line))
		fresh, next, lost := r.AppendSince(nil, seen)
		fmt.Printf("%d lost, %q\n", lost, fresh)
		seen = next
	}
	fmt.Printf("%q, dropped: %v\n", r.AppendTo(nil), r.Dropped())
	// Output:
	// 0 lost, "make: started\n"
	// 0 lost, "42 % done\n"
	// 3 lost, "e: finished ✓\n"
	// "e: finished ✓\n", dropped: true
}

// The benchmarks named copy are the same work without a Ring: the floor.

func BenchmarkAppend(b *testing.B) {
	const limit = 1 << 20
	for _, n := range []int{16, 80, 4 << 10, 64 << 10} {
		p := bytes.Repeat([]byte("x"), n)
		b.Run(fmt.Sprintf("ring/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(n))
			r := ring.New(limit)
			r.Append(make([]byte, limit))
			for b.Loop() {
				r.Append(p)
			}
		})
		b.Run(fmt.Sprintf("copy/%d", n), func(b *testing.B) {
			b.SetBytes(int64(n))
			buf, at := make([]byte, limit), 0
			for b.Loop() {
				if at+n > limit {
					at = 0
				}
				at += copy(buf[at:], p)
			}
		})
	}
}

// BenchmarkAppendFresh is a command that prints a few lines, from New on.
func BenchmarkAppendFresh(b *testing.B) {
	line := []byte(strings.Repeat("x", 79) + "\n")
	b.ReportAllocs()
	for b.Loop() {
		r := ring.New(1 << 20)
		for range 5 {
			r.Append(line)
		}
	}
}

func BenchmarkAppendTo(b *testing.B) {
	const limit, cut = 1 << 20, 1 << 20 / 3
	dst := make([]byte, 0, limit)
	b.Run("ring", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(limit)
		r := ring.New(limit)
		r.Append(make([]byte, limit))
		r.Append(make([]byte, cut))
		for b.Loop() {
			dst = r.AppendTo(dst[:0])
		}
	})
	b.Run("copy", func(b *testing.B) {
		b.SetBytes(limit)
		buf := make([]byte, limit)
		for b.Loop() {
			dst = append(dst[:0], buf[cut:]...)
			dst = append(dst, buf[:cut]...)
		}
	})
}
