package challenge_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/terrarium-dev/terrarium/core/challenge"
)

// A corpusCase is an answer an agent might give, and what terminus-2's parsers
// (Python 3.11.7) made of it.
type corpusCase struct {
	Name     string
	Format   string
	Response string
	Expect   map[string]any
	// ExpectRaises is there instead where they crashed.
	ExpectRaises *struct{ Raises string } `json:"expect_raises"`
	AnyOrder     bool                     `json:"nondeterministic_warning_order"`
	Truthy       bool                     `json:"task_complete_truthy"`
	Salvage      *struct {
		Returned       bool
		PrefixLenChars int  `json:"prefix_len_chars"`
		MultipleBlocks bool `json:"multiple_blocks"`
	}
}

func corpus(t testing.TB) []corpusCase {
	f, err := os.Open("testdata/terminus.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var cases []corpusCase
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c corpusCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		cases = append(cases, c)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return cases
}

func parser(t testing.TB, format string, strict bool) challenge.Parser {
	f, ok := challenge.ParseFormat(format)
	if !ok {
		t.Fatalf("got format %q, want json or xml", format)
	}
	return challenge.Parser{Format: f, Strict: strict}
}

// decode returns what terrarium parse prints for r.
func decode(t testing.TB, r challenge.Result) map[string]any {
	t.Helper()
	object := r.AppendJSON(nil)
	d := json.NewDecoder(bytes.NewReader(object))
	d.UseNumber() // as the text has it: integers may be long
	var got map[string]any
	if err := d.Decode(&got); err != nil || !utf8.Valid(object) {
		t.Fatalf("got %s: %v", object, err)
	}
	plain := map[string]any{}
	if err := json.Unmarshal(object, &plain); err != nil {
		t.Fatalf("got %s: %v", object, err)
	}
	return plain
}

func TestCorpus(t *testing.T) {
	passed, crashes := 0, 0
	cases := corpus(t)
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			r := parser(t, c.Format, true).Parse(c.Response)
			if c.ExpectRaises != nil {
				if r.Error == "" || r.Commands != nil || r.Complete {
					t.Fatalf("got %s, want an error where terminus-2 raises %s", r.AppendJSON(nil), c.ExpectRaises.Raises)
				}
				crashes++
				passed++
				return
			}
			got, want := decode(t, r), c.Expect
			if c.AnyOrder {
				got["warning"], want["warning"] = sorted(got["warning"]), sorted(want["warning"])
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%q (-want +got):\n%s", c.Response, diff)
			}
			if r.Complete != c.Truthy {
				t.Errorf("got complete %v, want %v", r.Complete, c.Truthy)
			}
			if !t.Failed() {
				passed++
			}
		})
	}
	t.Logf("%d of %d are as terminus-2 has them, %d of them errors where it crashes", passed, len(cases), crashes)
}

func sorted(warning any) string {
	lines := strings.Split(warning.(string), "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func TestCorpusSalvage(t *testing.T) {
	for _, c := range corpus(t) {
		if c.Salvage == nil {
			continue
		}
		response, repeated, ok := parser(t, c.Format, true).Salvage(c.Response)
		if ok != c.Salvage.Returned || repeated != c.Salvage.MultipleBlocks || utf8.RuneCountInString(response) != c.Salvage.PrefixLenChars {
			t.Errorf("%s: got %d characters, %v and %v, want %+v", c.Name, utf8.RuneCountInString(response), repeated, ok, *c.Salvage)
		}
	}
}
