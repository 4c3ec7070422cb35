package jsonrpc_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// The names follow JSONTestSuite: y must be accepted, n must be refused, i is
// ours to decide.
var vectors = []struct{ name, text string }{
	{"y_null", `null`},
	{"y_true", `true`},
	{"y_false", `false`},
	{"y_zero", `0`},
	{"y_minus_zero", `-0`},
	{"y_number", `-123.456e+78`},
	{"y_exponent_without_fraction", `1E5`},
	{"y_exponent_of_zeros", `0e00`},
	{"y_number_huge_exponent", `1e999999999999999999999`},
	{"y_space_everywhere", " \t\r\n[ 1 ,\n{ \"a\" : 2 }\r] \n"},
	{"y_empty_string", `""`},
	{"y_all_escapes", `"\"\\\/\b\f\n\r\t\u00e9\uD83D\uDE00"`},
	{"y_escaped_nul", `"\u0000"`},
	{"y_raw_del_and_separators", "\"\x7f\u2028\u2029\""},
	{"y_utf8", `"größe 日本語 🦉"`},
	{"y_last_scalar", "\"\U0010ffff\ufffe\""},
	{"y_empty_array", `[]`},
	{"y_empty_object", `{}`},
	{"y_spaced_empties", `[ [ ] , { } ]`},
	{"y_duplicate_keys", `{"a":1,"a":2}`},
	{"y_empty_key", `{"":0}`},
	{"y_nested", `[[[{"a":[{}]}]],{"b":{"c":[]}}]`},
	{"y_deepest", strings.Repeat("[", jsonrpc.MaxDepth) + strings.Repeat("]", jsonrpc.MaxDepth)},
	{"y_deepest_twice", "[" + strings.Repeat(strings.Repeat(`{"a":`, 511)+"1"+strings.Repeat("}", 511)+",", 2) + "0]"},
	{"y_lone_surrogate", `"\ud800"`},
	{"y_swapped_surrogates", `"\udc00\ud800"`},

	{"n_empty", ``},
	{"n_space_only", ` `},
	{"n_nul", "\x00"},
	{"n_two_values", `1 2`},
	{"n_trailing_comma", `1,`},
	{"n_trailing_nul", "1\x00"},
	{"n_bom", "\ufeff1"},
	{"n_literal_short", `tru`},
	{"n_literal_long", `truee`},
	{"n_literal_case", `True`},
	{"n_nan", `NaN`},
	{"n_infinity", `-Infinity`},
	{"n_leading_zero", `01`},
	{"n_minus_leading_zero", `-01`},
	{"n_minus_alone", `-`},
	{"n_plus", `+1`},
	{"n_point_first", `.5`},
	{"n_point_last", `5.`},
	{"n_point_before_exponent", `5.e1`},
	{"n_exponent_empty", `5e`},
	{"n_exponent_sign_only", `5e+`},
	{"n_hex", `0x10`},
	{"n_separator", `1_000`},
	{"n_full_width_digit", `１`},
	{"n_string_open", `"abc`},
	{"n_string_ends_in_backslash", `"abc\"`},
	{"n_string_single_quotes", `'a'`},
	{"n_string_raw_newline", "\"a\nb\""},
	{"n_string_raw_tab", "\"a\tb\""},
	{"n_string_raw_nul", "\"a\x00b\""},
	{"n_string_raw_control_late", "\"aaaaaaaaaaaaaaaaaaaa\x1f\""},
	{"n_escape_unknown", `"\x41"`},
	{"n_escape_capital", `"\N"`},
	{"n_escape_at_end", `"\`},
	{"n_escape_short_hex", `"\u12"`},
	{"n_escape_bad_hex", `"\u12g4"`},
	{"n_escape_hex_open", `"\u1`},
	{"n_array_open", `[1`},
	{"n_array_comma_open", `[1,`},
	{"n_array_trailing_comma", `[1,]`},
	{"n_array_leading_comma", `[,1]`},
	{"n_array_double_comma", `[1,,2]`},
	{"n_array_no_comma", `[1 2]`},
	{"n_array_wrong_end", `[1}`},
	{"n_array_colon", `["a":1]`},
	{"n_array_extra_end", `[]]`},
	{"n_object_open", `{`},
	{"n_object_key_only", `{"a"}`},
	{"n_object_no_value", `{"a":}`},
	{"n_object_no_colon", `{"a" 1}`},
	{"n_object_bare_key", `{a:1}`},
	{"n_object_number_key", `{1:1}`},
	{"n_object_trailing_comma", `{"a":1,}`},
	{"n_object_wrong_end", `{"a":1]`},
	{"n_object_double_colon", `{"a"::1}`},
	{"n_comment", `[1/* */]`},
	{"n_form_feed", "[\f1]"},
	{"n_nbsp", "[\u00a01]"},

	{"n_utf8_stray_continuation", "\"\x80\""},
	{"n_utf8_truncated", "\"\xe2\x82\""},
	{"n_utf8_overlong", "\"\xc0\xaf\""},
	{"n_utf8_surrogate", "\"\xed\xa0\x80\""},
	{"n_utf8_beyond", "\"\xf4\x90\x80\x80\""},
	{"n_utf8_outside_string", "[\xff]"},
	{"n_too_deep", strings.Repeat("[", 513) + strings.Repeat("]", 513)},
	{"n_too_deep_open", strings.Repeat(`{"a":[`, 100_000)},
}

func TestParseVectors(t *testing.T) {
	for _, v := range vectors {
		t.Run(v.name, func(t *testing.T) {
			got, err := jsonrpc.Parse([]byte(v.text))
			if want := v.name[0] == 'y'; (err == nil) != want {
				t.Fatalf("got error %v, want acceptance %v", err, want)
			}
			if want := strings.Trim(v.text, " \t\r\n"); err == nil && string(got.Raw()) != want {
				t.Errorf("got raw %q, want %q", got.Raw(), want)
			}
			if err != nil && got.Kind() != jsonrpc.Absent {
				t.Errorf("got %v beside an error, want nothing", got.Kind())
			}
		})
	}
}

func TestParseSaysWhere(t *testing.T) {
	for _, tt := range []struct {
		text   string
		offset int
		reason string
		detail string
	}{
		{"", 0, jsonrpc.ReasonInvalidJSON, "unexpected end"},
		{`{"a":1,`, 7, jsonrpc.ReasonInvalidJSON, "unexpected end"},
		{`{"a":tru }`, 8, jsonrpc.ReasonInvalidJSON, "expected true"},
		{`{"a" 1}`, 5, jsonrpc.ReasonInvalidJSON, "expected a colon"},
		{`[1 2]`, 3, jsonrpc.ReasonInvalidJSON, "expected a comma or the end of the array or object"},
		{`[1] 2`, 4, jsonrpc.ReasonInvalidJSON, "data after the value"},
		{`"\u00g0"`, 5, jsonrpc.ReasonInvalidJSON, "expected a hexadecimal digit"},
		{"\"0123456789\n\"", 11, jsonrpc.ReasonInvalidJSON, "control character in a string"},
		{"[\"0123456789é\xe2\x28\"]", 14, jsonrpc.ReasonInvalidUTF8, "not UTF-8"},
		{"[nope, \xff]", 7, jsonrpc.ReasonInvalidUTF8, "not UTF-8"},
		{strings.Repeat("[", 600), 512, jsonrpc.ReasonTooDeep, "nested too deeply"},
	} {
		_, err := jsonrpc.Parse([]byte(tt.text))
		var got *jsonrpc.SyntaxError
		if !errors.As(err, &got) {
			t.Errorf("Parse(%.20q): got %v, want a SyntaxError", tt.text, err)
			continue
		}
		want := jsonrpc.SyntaxError{Offset: tt.offset, Reason: tt.reason, Detail: tt.detail}
		if *got != want {
			t.Errorf("Parse(%.20q): got %+v, want %+v", tt.text, *got, want)
		}
	}
}

func TestSyntaxErrorText(t *testing.T) {
	_, err := jsonrpc.Parse([]byte(`{"secret":x}`))
	const want = "jsonrpc: invalid_json at byte 10: expected a value"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// Every prefix of a text ends somewhere the scanner must not run past.
func TestParsePrefixes(t *testing.T) {
	const text = `{"a":[1.5e-3,true,null,"\u00e9\ud83d\ude00x"],"b":{"c":false}}`
	for n := range len(text) {
		if _, err := jsonrpc.Parse([]byte(text[:n])); err == nil {
			t.Errorf("Parse(%q): got no error", text[:n])
		}
	}
}

// depth returns how deeply a valid text is nested.
func depth(p []byte) (deepest int) {
	dec := json.NewDecoder(bytes.NewReader(p))
	for n := 0; ; {
		token, err := dec.Token()
		if err != nil {
			return deepest
		}
		switch token {
		case json.Delim('['), json.Delim('{'):
			n++
		case json.Delim(']'), json.Delim('}'):
			n--
		}
		deepest = max(deepest, n)
	}
}

func FuzzParse(f *testing.F) {
	for _, v := range vectors {
		f.Add([]byte(v.text))
	}
	f.Fuzz(func(t *testing.T, p []byte) {
		v, err := jsonrpc.Parse(p)
		valid := utf8.Valid(p) && json.Valid(p) && depth(p) <= jsonrpc.MaxDepth
		if (err == nil) != valid {
			t.Fatalf("Parse(%q): got error %v, want acceptance %v", p, err, valid)
		}
		if err != nil {
			var syntax *jsonrpc.SyntaxError
			if !errors.As(err, &syntax) || syntax.Offset < 0 || syntax.Offset > len(p) {
				t.Fatalf("Parse(%q): got %v, want a SyntaxError within the text", p, err)
			}
			return
		}
		dec := json.NewDecoder(bytes.NewReader(p))
		dec.UseNumber()
		var want any
		if err := dec.Decode(&want); err != nil {
			t.Fatal(err)
		}
		if got := tree(t, v); !reflect.DeepEqual(got, want) {
			t.Errorf("Parse(%q): got %v, want %v", p, got, want)
		}
	})
}

// tree returns v as encoding/json would have it, reading it by its methods.
func tree(t *testing.T, v jsonrpc.Value) any {
	switch v.Kind() {
	case jsonrpc.Null:
		return nil
	case jsonrpc.Bool:
		b, err := v.Bool()
		if err != nil {
			t.Fatal(err)
		}
		return b
	case jsonrpc.Number:
		return json.Number(v.Raw())
	case jsonrpc.String:
		return readText(t, v)
	case jsonrpc.Array:
		items := []any{}
		for item := range v.Items() {
			items = append(items, tree(t, item))
		}
		return items
	}
	members := map[string]any{}
	for name, member := range v.Members() {
		key := readText(t, name)
		if _, err := name.Text(); err == nil && !name.Is(key) {
			t.Fatalf("Is(%q): got false for %s", key, name.Raw())
		}
		if got, ok := v.Get(key); name.Is(key) && (!ok || got.Kind() == jsonrpc.Absent) {
			t.Fatalf("Get(%q): got nothing in %s", key, v.Raw())
		}
		members[key] = tree(t, member)
	}
	return members
}

// readText returns the text of v, which encoding/json agrees with, lone
// surrogates and all.
func readText(t *testing.T, v jsonrpc.Value) string {
	s, err := v.Text()
	if lone := hasLoneSurrogate(v.Raw()); lone != (err == jsonrpc.ErrLoneSurrogate) {
		t.Fatalf("Text of %s: got error %v, want lone surrogate %v", v.Raw(), err, lone)
	}
	if !utf8.ValidString(s) {
		t.Fatalf("Text of %s: got %q, want UTF-8", v.Raw(), s)
	}
	return s
}

// hasLoneSurrogate takes the pairs out of p and looks for what is left.
func hasLoneSurrogate(p []byte) bool {
	s := strings.ToLower(strings.ReplaceAll(string(p), `\\`, "__"))
	for i := 0; i < len(s); i++ {
		if !isEscape(s, i, "89ab") {
			if isEscape(s, i, "cdef") {
				return true
			}
			continue
		}
		if !isEscape(s, i+6, "cdef") {
			return true
		}
		i += 11
	}
	return false
}

// isEscape reports whether s has \ud at i and one of the digits after it.
func isEscape(s string, i int, digits string) bool {
	return len(s) > i+3 && s[i:i+3] == `\ud` && strings.IndexByte(digits, s[i+3]) >= 0
}
