package conform

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/core/acp"
)

// limited runs a script with an output limit, and returns what is left.
func (t *trial) limited(limit any, script string, args ...string) output {
	o, _ := t.run(t.sh(script, args...).with("outputByteLimit", limit))
	return o
}

// printText is a script that prints its argument.
const printText = `printf %s "$1"`

var limitPoints = []Point{
	{
		Number: 11, Name: "values of outputByteLimit", Level: Must, Source: pageSchema,
		Want: "null and any unsigned 64-bit number are taken; a negative number or a fraction is answered with -32602",
		try: func(t *trial) {
			for _, limit := range []any{nil, json.Number("18446744073709551615"), 1000} {
				if o := t.limited(limit, printText, "abc"); strings.TrimRight(o.text, "\r\n") != "abc" || o.truncated {
					t.fail("with the limit %v the output is %q, truncated %v", limit, cut(o.text), o.truncated)
				}
			}
			t.refused(acp.MethodCreate, t.sh("true").with("outputByteLimit", -1), "the limit -1")
			t.refused(acp.MethodCreate, t.sh("true").with("outputByteLimit", json.Number("1.5")), "the limit 1.5")
			if len(t.notes) > 0 {
				t.fail("another error than -32602")
			}
		},
	},
	{
		Number: 12, Name: "a limit of 0", Level: Must, Source: pageTerminals,
		Want: "nothing is kept, and truncated is true once there was any output",
		try: func(t *trial) {
			if o := t.limited(0, printText, "abc"); o.text != "" || !o.truncated {
				t.fail("got the output %q, truncated %v, want none, true", cut(o.text), o.truncated)
			}
		},
	},
	{
		Number: 13, Name: "the limit counts bytes", Level: Must, Source: pageTerminals,
		Want: "the limit counts the bytes of the output in UTF-8, and not characters",
		try: func(t *trial) {
			o := t.limited(10, printText, strings.Repeat("é", 20))
			if len(o.text) > 10 {
				t.fail("got %d bytes for a limit of 10: %q", len(o.text), cut(o.text))
			}
			if o.text != "ééééé" {
				t.fail("got %q for a limit of 10, want 5 characters of two bytes", cut(o.text))
			}
		},
	},
	{
		Number: 14, Name: "the newest output is kept", Level: Must, Source: pageTerminals,
		Want: "over the limit, output is dropped from the beginning",
		try: func(t *trial) {
			o := t.limited(6, printText, "0123456789ABCDEF")
			if o.text != "ABCDEF" {
				t.fail("got %q of 0123456789ABCDEF for a limit of 6, want the end, \"ABCDEF\"", cut(o.text))
			}
			o = t.limited(100, `i=0; while [ $i -lt 200 ]; do i=$((i+1)); echo "line $i"; done`)
			if !strings.HasSuffix(strings.TrimRight(o.text, "\r\n"), "line 200") || strings.Contains(o.text, "line 1\n") {
				t.fail("of 200 lines %q is left, want the last ones", cut(o.text))
			}
		},
	},
	{
		Number: 15, Name: "cut at a character", Level: Must, Source: pageTerminals,
		Want: "what is left begins with a whole character, and is never more than the limit",
		try: func(t *trial) {
			const text = "aé€😀é€😀aé€😀"
			for limit := 1; limit <= 14; limit++ {
				o := t.limited(limit, printText, text)
				switch {
				case len(o.text) > limit:
					t.fail("got %d bytes for a limit of %d: %q", len(o.text), limit, cut(o.text))
				case !strings.HasSuffix(text, o.text):
					t.fail("got %q for a limit of %d, want an end of %q", cut(o.text), limit, text)
				case len(o.text) < limit-3:
					t.fail("got only %d bytes for a limit of %d: %q", len(o.text), limit, cut(o.text))
				}
			}
		},
	},
	{
		Number: 16, Name: "a limit below a character", Level: Must, Source: pageTerminals,
		Want: "where the last character is larger than the limit, the output is empty",
		try: func(t *trial) {
			if o := t.limited(3, printText, "a😀"); o.text != "" || !o.truncated {
				t.fail("got %q, truncated %v for a character of 4 bytes and a limit of 3, want none, true", cut(o.text), o.truncated)
			}
		},
	},
	{
		Number: 17, Name: "output that is not UTF-8", Level: Must, Source: pageTransports,
		Want: "invalid bytes become U+FFFD before the limit is measured; a character that comes in two pieces stays whole",
		try: func(t *trial) {
			o, _ := t.run(t.sh(`printf '\342'; sleep 0.3; printf '\202\254'`))
			if got := strings.TrimRight(o.text, "\r\n"); got != "€" {
				t.fail("a character that came in two pieces is %q, want \"€\"", cut(got))
			}
			o, _ = t.run(t.sh(`printf 'a\377b\303'`))
			if got := strings.TrimRight(o.text, "\r\n"); got != "a\uFFFDb\uFFFD" {
				if !strings.HasPrefix(got, "a") || !strings.Contains(got, "b") || !utf8.ValidString(got) {
					t.fail("the bytes 61 ff 62 c3 are %q, want U+FFFD for those that are invalid", cut(got))
				}
				t.unclear("the bytes 61 ff 62 c3 are %q, want \"a\\ufffdb\\ufffd\"", cut(got))
			}
			if o := t.limited(4, `printf 'abc\377'`); len(o.text) > 4 {
				t.fail("got %d bytes for a limit of 4: U+FFFD, which has three, came after it was measured: %q", len(o.text), cut(o.text))
			}
		},
	},
	{
		Number: 18, Name: "truncated stays true", Level: Must, Source: pageTerminals,
		Want: "truncated is true if any output was ever dropped, even where less than the limit is left",
		try: func(t *trial) {
			id := t.create(t.sh(`printf 0123456789; sleep 0.3; printf 01234; sleep 60`).with("outputByteLimit", 10))
			t.waitForText(id, func(o output) bool { return strings.HasSuffix(o.text, "901234") }, "the end of the second part")
			if o := t.output(id); !o.truncated {
				t.fail("15 bytes have come for a limit of 10, and truncated is false: %s", t.seen)
			}
			if o := t.limited(5, printText, "€€€"); !o.truncated {
				t.fail("of 9 bytes %d are left for a limit of 5, and truncated is false", len(o.text))
			}
		},
	},
	{
		Number: 19, Name: "exactly the limit", Level: Must, Source: pageTerminals,
		Want: "output of exactly as many bytes as the limit is whole, and truncated is false",
		try: func(t *trial) {
			if o := t.limited(10, printText, "0123456789"); o.text != "0123456789" || o.truncated {
				t.fail("got %q, truncated %v for 10 bytes and a limit of 10", cut(o.text), o.truncated)
			}
		},
	},
}
