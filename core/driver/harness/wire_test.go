package harness

import (
	"slices"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core/challenge"
)

func TestAnswers(t *testing.T) {
	for _, test := range []struct {
		name, said string
		format     challenge.Format
		want       []string
	}{
		{"nothing", "", challenge.JSON, nil},
		{"blank", " \n\r\n\t\n", challenge.JSON, nil},
		{"lines", "{\"a\":1}\n{\"a\":2}\n", challenge.JSON, []string{`{"a":1}`, `{"a":2}`}},
		{"no newline", `{"a":1}`, challenge.JSON, []string{`{"a":1}`}},
		{"over lines", "{\n \"a\": [1,\n  {\"b\": 2}]\n}\n{}\n", challenge.JSON, []string{"{\n \"a\": [1,\n  {\"b\": 2}]\n}", "{}"}},
		{"braces in strings", `{"a":"}\"{\\"}` + "\n{}\n", challenge.JSON, []string{`{"a":"}\"{\\"}`, "{}"}},
		{"not JSON", "not json\n{}\n", challenge.JSON, []string{"not json", "{}"}},
		{"an open string", "{\"a\": \"b\n{}\n", challenge.JSON, []string{`{"a": "b`, "{}"}},
		{"prose before", "Sure: {\"a\":1}\n{}\n", challenge.JSON, []string{`Sure: {"a":1}`, "{}"}},
		{"two on a line", "{}{} {}\n", challenge.JSON, []string{"{}", "{}", "{}"}},
		{"a JSON string", `"{\"a\":\n1}"` + "\r\n", challenge.JSON, []string{"{\"a\":\n1}"}},
		{"NUL", "```json\n{}\n```\x00{\"a\":\x00\n{}", challenge.JSON, []string{"```json", "{}", "```", `{"a":`, "{}"}},
		{"the end", "{\"a\":1\nline", challenge.JSON, []string{"{\"a\":1\nline"}},
		{"XML", "<response>\n<a/>\n</response>\n<response></response>", challenge.XML, []string{"<response>\n<a/>\n</response>", "<response></response>"}},
		{"XML after prose", "Hm\nSure: <response>\n</response>\n", challenge.XML, []string{"Hm", "Sure: <response>\n</response>"}},
		{"XML in a string", `"<response>\n</response>"` + "\n", challenge.XML, []string{"<response>\n</response>"}},
	} {
		for _, size := range []int{1, 3, 1 << 20} {
			if got := split(WireJSON, test.format, test.said, size); !slices.Equal(got, test.want) {
				t.Errorf("%s, %d bytes at a time: got %q, want %q", test.name, size, got, test.want)
			}
		}
	}
}

// What stands behind an object belongs to it if it is there, and to nothing if
// it comes later.
func TestAnswersRestOfLine(t *testing.T) {
	const said = "{} and more\nnext\n"
	if got, want := split(WireJSON, challenge.JSON, said, 1<<20), []string{"{} and more", "next"}; !slices.Equal(got, want) {
		t.Errorf("at once: got %q, want %q", got, want)
	}
	if got, want := split(WireJSON, challenge.JSON, said, 1), []string{"{}", "next"}; !slices.Equal(got, want) {
		t.Errorf("by bytes: got %q, want %q", got, want)
	}
}

// On the text wire a language model's words may stand around an answer.
func TestAnswersText(t *testing.T) {
	const said = "Let me see.\n```json\n{\"a\": 1}\n```\x00\n{\"a\":\n2}\n\"so\"\x00"
	want := []string{"Let me see.\n```json\n{\"a\": 1}\n```", "{\"a\":\n2}", `"so"`}
	if got := split(WireText, challenge.JSON, said, 1); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// split returns the answers in what is said, some bytes at a time.
func split(w Wire, f challenge.Format, said string, size int) (list []string) {
	a := answers{wire: w, format: f}
	take := func(ended bool) {
		for {
			text, ok := a.next(ended)
			if !ok {
				return
			}
			list = append(list, text)
		}
	}
	for len(said) > 0 {
		n := min(size, len(said))
		a.buf = append(a.buf, said[:n]...)
		said = said[n:]
		take(false)
	}
	take(true)
	return list
}

func FuzzAnswers(f *testing.F) {
	f.Add("{\"a\":\"b\"}\nnot\n<response>\n</response>", true, false, uint8(3))
	f.Add("{\"a\":\"b\n\x00\"\\\"\"", false, true, uint8(1))
	f.Fuzz(func(t *testing.T, said string, xml, text bool, size uint8) {
		wire, format := WireJSON, challenge.JSON
		if xml {
			format = challenge.XML
		}
		if text {
			wire = WireText
		}
		total := 0
		for _, answer := range split(wire, format, said, 1+int(size)) {
			if answer == "" && !strings.ContainsAny(said, "\x00\"") {
				t.Errorf("got an empty answer in %q", said)
			}
			total += len(answer)
		}
		if total > 3*len(said) { // a byte that is no UTF-8 becomes three
			t.Errorf("got %d bytes of answers, want no more than were said in %q", total, said)
		}
	})
}
