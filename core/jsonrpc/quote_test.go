package jsonrpc_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

func TestAppendString(t *testing.T) {
	for _, tt := range []struct{ s, want string }{
		{"", `""`},
		{"plain", `"plain"`},
		{"\"\\\b\f\n\r\t", `"\"\\\b\f\n\r\t"`},
		{"\x00\x01\x0b\x1f", `"\u0000\u0001\u000b\u001f"`},
		{"\x1b[1mbold\x1b[0m text that is longer\n", `"\u001b[1mbold\u001b[0m text that is longer\n"`},
		{"</script>&'\x7f\u2028\u2029", "\"</script>&'\x7f\u2028\u2029\""},
		{"größe 日本語 🦉", `"größe 日本語 🦉"`},
		// Unicode, table 3-8 and the text around it.
		{"\xc0\xaf\xe0\x80\xbf\xf0\x81\x82A", `"��������A"`},
		{"\xed\xa0\x80\xed\xbf\xbfA", `"������A"`},
		{"\xf4\x91\x92\x93\xffA\x80\xbfB", `"�����A��B"`},
		{"\xe1\x80\xe2\xf0\x91\x92\xf1\xbfA", `"����A"`},
		{"\xf0\x9f\xa6", `"�"`},
		{"ok\xff\n", `"ok�\n"`},
	} {
		if got := jsonrpc.AppendString(nil, tt.s); string(got) != tt.want {
			t.Errorf("AppendString(%q): got %s, want %s", tt.s, got, tt.want)
		}
		if got := jsonrpc.AppendString([]byte("x"), []byte(tt.s)); string(got) != "x"+tt.want {
			t.Errorf("AppendString of bytes %q: got %s, want %s", tt.s, got, "x"+tt.want)
		}
		if got := jsonrpc.QuotedLen(tt.s); got != len(tt.want) {
			t.Errorf("QuotedLen(%q): got %d, want %d", tt.s, got, len(tt.want))
		}
	}
}

// Every byte, at every place in a word.
func TestAppendStringFindsEachByteAnywhere(t *testing.T) {
	for c := range 256 {
		for at := range 20 {
			s := strings.Repeat("a", at) + string([]byte{byte(c)}) + strings.Repeat(" ", 19-at)
			checkQuoted(t, s)
		}
	}
}

// checkQuoted checks what must be true of the quoted form of any s.
func checkQuoted(t *testing.T, s string) {
	t.Helper()
	quoted := jsonrpc.AppendString(nil, s)
	for _, c := range quoted {
		if c < ' ' {
			t.Fatalf("AppendString(%q): got a raw control in %q", s, quoted)
		}
	}
	var got string
	if err := json.Unmarshal(quoted, &got); err != nil || !utf8.Valid(quoted) {
		t.Fatalf("AppendString(%q): got %q: %v", s, quoted, err)
	}
	if want := repair(s); got != want {
		t.Fatalf("AppendString(%q): encoding/json reads %q, want %q", s, got, want)
	}
	if got := jsonrpc.QuotedLen(s); got != len(quoted) {
		t.Fatalf("QuotedLen(%q): got %d, want %d", s, got, len(quoted))
	}
	v, err := jsonrpc.Parse(quoted)
	if err != nil {
		t.Fatalf("Parse(%q): %v", quoted, err)
	}
	if text, err := v.Text(); err != nil || text != got || !v.Is(got) {
		t.Fatalf("Text of %q: got %q, %v, want %q", quoted, text, err, got)
	}
}

// repair replaces each maximal subpart by asking which prefixes can be completed.
func repair(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && n == 1 {
			for n = min(3, len(s)); n > 1 && !completable(s[:n]); n-- {
			}
		}
		b.WriteRune(r)
		s = s[n:]
	}
	return b.String()
}

// completable reports whether some continuation makes s one whole character.
func completable(s string) bool {
	for _, second := range []string{"", "\x80", "\x8f", "\x90", "\xa0"} {
		for _, rest := range []string{"", "\x80", "\x80\x80"} {
			if r, n := utf8.DecodeRuneInString(s + second + rest); r != utf8.RuneError && n > len(s) && n == len(s+second+rest) {
				return true
			}
		}
	}
	return false
}

func FuzzAppendString(f *testing.F) {
	for _, seed := range []string{"", "plain text of some length", "\x1b[31mred\x1b[0m\r\n", "a\"b\\c\x00\x7f", "日本語\xe2\x82", "\xff\xfe\xf0\x9f\xa6", "\u2028"} {
		f.Add(seed, 10)
	}
	f.Fuzz(func(t *testing.T, s string, limit int) {
		checkQuoted(t, s)
		checkExcess(t, s, limit%(8*len(s)+8))
	})
}

func TestExcess(t *testing.T) {
	for _, tt := range []struct {
		s     string
		limit int
		want  int
	}{
		{"", 2, 0},
		{"", 0, 0},
		{"abc", 5, 0},
		{"abc", 4, 1},
		{"abc", 2, 3},
		{"abc", 1, 3},
		{"abc", -100, 3},
		{"\x1bbc", 9, 1},
		{"日本", 8, 0},
		{"日本", 7, 3},
		{"a\n日", 6, 2},
		{"a\n日", 4, 5},
		{strings.Repeat("0123456789", 10) + "\n", 52, 52},
	} {
		if got := jsonrpc.Excess(tt.s, tt.limit); got != tt.want {
			t.Errorf("Excess(%q, %d): got %d, want %d", tt.s, tt.limit, got, tt.want)
		}
		checkExcess(t, tt.s, tt.limit)
	}
}

// checkExcess checks that the rest fits, and that one character more would not.
func checkExcess(t *testing.T, s string, limit int) {
	t.Helper()
	cut := jsonrpc.Excess([]byte(s), limit)
	if cut < 0 || cut > len(s) {
		t.Fatalf("Excess(%q, %d): got %d", s, limit, cut)
	}
	if repair(s[:cut])+repair(s[cut:]) != repair(s) {
		t.Fatalf("Excess(%q, %d): got %d, which is within a character", s, limit, cut)
	}
	if n := jsonrpc.QuotedLen(s[cut:]); n > limit && cut < len(s) {
		t.Fatalf("Excess(%q, %d): got %d, which leaves %d", s, limit, cut, n)
	}
	if cut == 0 {
		return
	}
	last := len(repair(s[:cut])) - 1
	for !utf8.RuneStart(repair(s[:cut])[last]) {
		last--
	}
	if n := jsonrpc.QuotedLen(repair(s[:cut])[last:] + s[cut:]); n <= limit {
		t.Fatalf("Excess(%q, %d): got %d, though one character more would fit", s, limit, cut)
	}
}

func TestWritingAllocatesNothing(t *testing.T) {
	dst := make([]byte, 0, 1<<10)
	id := jsonrpc.IntID(7)
	n := testing.AllocsPerRun(100, func() {
		dst = jsonrpc.AppendResponseHead(dst[:0], id)
		dst = append(dst, '{')
		dst = jsonrpc.AppendString(jsonrpc.AppendKey(dst, "output"), "\x1b[1mbold\x1b[0m é \xff\n")
		dst = jsonrpc.AppendString(jsonrpc.AppendKey(dst, "bytes"), dst[:20])
		dst = jsonrpc.AppendTail(append(dst, '}'))
		jsonrpc.QuotedLen(dst)
		jsonrpc.Excess(dst, 10)
	})
	if n != 0 {
		t.Errorf("got %v allocations, want 0", n)
	}
}
