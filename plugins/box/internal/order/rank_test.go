package order

import (
	"fmt"
	"hash/maphash"
	"math/rand"
	"slices"
	"strings"
	"testing"
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
				lines := make([][]byte, r.Intn(200))
				for i := range lines {
					lines[i] = []byte(line())
				}
				var got, want []string
				for _, e := range s.sortEntries(lines) {
					got = append(got, fmt.Sprintf("%q at %d", lines[e.line], e.line))
				}
				order := make([]int, len(lines))
				for i := range order {
					order[i] = i
				}
				slices.SortStableFunc(order, func(a, b int) int { return s.compare(lines[a], lines[b]) })
				for _, i := range order {
					want = append(want, fmt.Sprintf("%q at %d", lines[i], i))
				}
				if !slices.Equal(got, want) {
					t.Fatalf("%s, %+v: got %q, want %q", name, o, got, want)
				}
			}
		}
	}
}
