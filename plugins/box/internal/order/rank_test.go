package order

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// TestSortEntries compares with a sort that knows no ranks.
func TestSortEntries(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	text := func(alphabet string, most int) string {
		var b strings.Builder
		for range r.Intn(most + 1) {
			b.WriteByte(alphabet[r.Intn(len(alphabet))])
		}
		return b.String()
	}
	inputs := map[string]func() string{
		"letters":  func() string { return text("abAB \x00\xff", 12) },
		"short":    func() string { return text("ab", 3) },
		"prefixed": func() string { return "2026-11-22 " + text("012", 14) },
		"numbers":  func() string { return text(" -", 2) + text("0019", 4) + text(".", 1) + text("05", 2) + text("Kx", 1) },
		"large":    func() string { return text("-", 1) + text("0123456789", 25) },
		"fields":   func() string { return text("ab", 2) + " " + text("12", 2) + "\t" + text("xy", 2) },
	}
	orderings := []ordering{{}, {reverse: true}, {fold: true}, {dict: true, fold: true}, {print: true}}
	for _, mode := range "nghMVR" {
		orderings = append(orderings, ordering{mode: byte(mode)}, ordering{mode: byte(mode), reverse: true})
	}
	for name, line := range inputs {
		for _, o := range orderings {
			for _, s := range []*sorter{
				{},
				{keys: []*key{{endField: -1, ordering: o}}},
				{keys: []*key{{endField: -1, ordering: o}}, stable: true},
				{keys: []*key{{startField: 1, endField: 1, ordering: o}, {endField: 0}}, unique: true},
			} {
				s.tab, s.seed, s.global = -1, maphash.MakeSeed(), key{endField: -1, ordering: o}
				var data []byte
				for range r.Intn(400) {
					data = append(append(data, line()...), '\n')
				}
				if got, want := s.sorted(data), s.sortedPlainly(data); !slices.Equal(got, want) {
					t.Fatalf("%s, %+v: got %q, want %q", name, o, got, want)
				}
			}
		}
	}
}

// sorted returns what sort writes, each line with its number.
func (s *sorter) sorted(data []byte) (list []string) {
	t := newText(data, '\n')
	for _, e := range s.sortEntries(t) {
		if !s.unique || !e.again {
			list = append(list, fmt.Sprintf("%q at %d", t.line(e.line), e.line))
		}
	}
	return list
}

// sortedPlainly is sorted by a sort that compares lines.
func (s *sorter) sortedPlainly(data []byte) (list []string) {
	lines := bytes.Split(data, []byte{'\n'})
	lines = lines[:len(lines)-1]
	order := make([]int, len(lines))
	for i := range order {
		order[i] = i
	}
	compare := func(a, b int) int { return s.compare(lines[a], lines[b]) }
	slices.SortStableFunc(order, compare)
	if s.unique {
		order = slices.CompactFunc(order, func(a, b int) bool { return compare(a, b) == 0 })
	}
	for _, i := range order {
		list = append(list, fmt.Sprintf("%q at %d", lines[i], i))
	}
	return list
}

// FuzzSort is the same for any lines and a key of any kind.
func FuzzSort(f *testing.F) {
	f.Add([]byte("b 2\na 10\nb 2\n\na 9\n"), "2n", true, false)
	f.Add([]byte("2026-11-22 a\n2026-11-22 b\n2026-11-22 \n2026-11-22 a\n2026-11-22 aa\n2026-11-22 ab\n2026-11-22 b\n2026-11-22 c\n2026-11-22 a\n"), "1", false, true)
	f.Add([]byte("ab\x00\nab\nab\x00\x00\n\xff\n\n\nabcdefg\nabcdefgh\nabcdefg\x00\nabcdefgi\n"), "1.2,1.9r", false, false)
	f.Fuzz(func(t *testing.T, data []byte, spec string, unique, stable bool) {
		k, err := parseKey(&tool.Env{}, spec)
		if err != nil || len(data) > 2000 {
			return
		}
		if n := len(data); n > 0 && data[n-1] != '\n' {
			data = append(data, '\n')
		}
		for _, s := range []*sorter{{keys: []*key{k}}, {}} {
			s.tab, s.seed, s.unique, s.stable = -1, maphash.MakeSeed(), unique, stable
			if got, want := s.sorted(data), s.sortedPlainly(data); !slices.Equal(got, want) {
				t.Fatalf("%s: got %q, want %q", spec, got, want)
			}
		}
	})
}
