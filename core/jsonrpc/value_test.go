package jsonrpc_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

func parse(t testing.TB, text string) jsonrpc.Value {
	t.Helper()
	v, err := jsonrpc.Parse([]byte(text))
	if err != nil {
		t.Fatalf("Parse(%q): %v", text, err)
	}
	return v
}

func TestKind(t *testing.T) {
	for text, want := range map[string]jsonrpc.Kind{
		"null": jsonrpc.Null, "true": jsonrpc.Bool, "false": jsonrpc.Bool, "-1": jsonrpc.Number,
		"0": jsonrpc.Number, `""`: jsonrpc.String, "[]": jsonrpc.Array, "{}": jsonrpc.Object,
	} {
		if got := parse(t, text).Kind(); got != want {
			t.Errorf("kind of %s: got %v, want %v", text, got, want)
		}
	}
	if got := (jsonrpc.Value{}).Kind(); got != jsonrpc.Absent || got.String() != "absent" {
		t.Errorf("kind of the zero Value: got %v, want absent", got)
	}
}

func TestGet(t *testing.T) {
	v := parse(t, `{ "a" : 1 , "A":2,"a\"b":3,"":4,"\u0061\ud83e\udd89":5,"dup":[6],"\\":{"}":"]"},"dup":7,"\ud800":8,"\ufffd":9,"n":null }`)
	for key, want := range map[string]string{
		"a": "1", "A": "2", `a"b`: "3", "": "4", "a🦉": "5", "dup": "7", `\`: `{"}":"]"}`,
		"\ufffd": "9", "n": "null",
		"b": "", "du": "", "dupe": "", "\xff": "", "\xed\xa0\x80": "", "a\xf0\x9f\xa6": "", `\ud800`: "",
	} {
		got, ok := v.Get(key)
		if string(got.Raw()) != want || ok != (want != "") {
			t.Errorf("Get(%q): got %q, %v, want %q", key, got.Raw(), ok, want)
		}
	}
	for _, text := range []string{`["a"]`, `"a"`, `null`, `1`} {
		if got, ok := parse(t, text).Get("a"); ok || got.Kind() != jsonrpc.Absent {
			t.Errorf("Get of %s: got %s, %v, want nothing", text, got.Raw(), ok)
		}
	}
}

func TestMembersAndItems(t *testing.T) {
	v := parse(t, ` { "a" : [ 1 , "x,]\\" , {} , [ [ ] , null ] , -2.5e3 ] , "b":true, "a" : "\"}" } `)
	var got []string
	for name, member := range v.Members() {
		got = append(got, string(name.Raw())+"="+string(member.Raw()))
		for item := range member.Items() {
			got = append(got, string(item.Raw()))
		}
		for range member.Members() {
			t.Errorf("a member in %s", member.Raw())
		}
	}
	want := []string{
		`"a"=[ 1 , "x,]\\" , {} , [ [ ] , null ] , -2.5e3 ]`, "1", `"x,]\\"`, "{}", "[ [ ] , null ]", "-2.5e3",
		`"b"=true`, `"a"="\"}"`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for item := range v.Items() {
		t.Errorf("an item in an object: %s", item.Raw())
	}
	for range v.Members() {
		break
	}
	for range parse(t, "[1,2]").Items() {
		break
	}
}

func TestBoolAndNull(t *testing.T) {
	if got, err := parse(t, "true").Bool(); !got || err != nil {
		t.Errorf("got %v, %v, want true", got, err)
	}
	if got, err := parse(t, "false").Bool(); got || err != nil {
		t.Errorf("got %v, %v, want false", got, err)
	}
	for _, text := range []string{"null", `"true"`, "1"} {
		if _, err := parse(t, text).Bool(); err != jsonrpc.ErrType {
			t.Errorf("Bool of %s: got %v, want %v", text, err, jsonrpc.ErrType)
		}
	}
	if !parse(t, " null ").IsNull() || parse(t, "0").IsNull() || (jsonrpc.Value{}).IsNull() {
		t.Error("IsNull is true of something else than null")
	}
}

func TestText(t *testing.T) {
	for _, tt := range []struct {
		text, want string
		err        error
	}{
		{`""`, "", nil},
		{`"plain"`, "plain", nil},
		{`"\"\\\/\b\f\n\r\t"`, "\"\\/\b\f\n\r\t", nil},
		{`"a\u0000\u001b[31m\u007f"`, "a\x00\x1b[31m\x7f", nil},
		{`"\u00e9\u20AC\uD83E\uDD89"`, "é€🦉", nil},
		{`"\uffff\ue000\ud7ff"`, "\uffff\ue000\ud7ff", nil},
		{`"x\ud800y"`, "x\ufffdy", jsonrpc.ErrLoneSurrogate},
		{`"\udc00\ud800"`, "\ufffd\ufffd", jsonrpc.ErrLoneSurrogate},
		{`"\ud800\ud83e\udd89"`, "\ufffd🦉", jsonrpc.ErrLoneSurrogate},
		{`"\ud83e\n\udd89"`, "\ufffd\n\ufffd", jsonrpc.ErrLoneSurrogate},
		{`"\ud83e\u00e9"`, "\ufffdé", jsonrpc.ErrLoneSurrogate},
		{`"\ud83eudd89xyz"`, "\ufffdudd89xyz", jsonrpc.ErrLoneSurrogate},
		{`null`, "", jsonrpc.ErrType},
		{`["x"]`, "", jsonrpc.ErrType},
	} {
		v := parse(t, tt.text)
		if got, err := v.Text(); got != tt.want || err != tt.err {
			t.Errorf("Text of %s: got %q, %v, want %q, %v", tt.text, got, err, tt.want, tt.err)
		}
		if got, err := v.AppendText([]byte(">")); string(got) != ">"+tt.want || err != tt.err {
			t.Errorf("AppendText of %s: got %q, %v, want %q, %v", tt.text, got, err, ">"+tt.want, tt.err)
		}
		if got := v.Is(tt.want); got != (tt.err == nil) {
			t.Errorf("%s is %q: got %v, want %v", tt.text, tt.want, got, tt.err == nil)
		}
		if v.Is(tt.want+"z") || v.Is("z"+tt.want) {
			t.Errorf("%s is %q with a letter more", tt.text, tt.want)
		}
	}
}

// Each byte may be looked at a few times, not a few times per level or string.
func TestHostileTextsAreReadInLinearTime(t *testing.T) {
	const n = 1 << 20
	for name, text := range map[string]string{
		"backslashes":    `{"a":"` + strings.Repeat(`\\`, n) + `"}`,
		"escaped quotes": `{"` + strings.Repeat(`\"`, n) + `":1}`,
		"brackets":       `{"a":[` + strings.Repeat(`[],`, n) + `0]}`,
		"digits":         `{"a":1` + strings.Repeat(`0`, n) + `e-` + strings.Repeat("0", n) + `}`,
	} {
		v := parse(t, text)
		for name, member := range v.Members() {
			name.Is("a")
			member.Uint64()
			member.AppendText(nil)
		}
		if _, ok := v.Get("b"); ok {
			t.Errorf("%s: found b", name)
		}
	}
}

func TestReadingAllocatesNothing(t *testing.T) {
	line := []byte(createRequest)
	buf := make([]byte, 0, 1<<10)
	n := testing.AllocsPerRun(100, func() {
		v, _ := jsonrpc.Parse(line)
		params, _ := v.Get("params")
		for name, member := range params.Members() {
			name.Is("command")
			buf, _ = member.AppendText(buf[:0])
			for item := range member.Items() {
				item.Get("name")
			}
		}
		limit, _ := params.Get("outputByteLimit")
		limit.Uint64()
		limit.Int64()
		limit.Float64()
	})
	if n != 0 {
		t.Errorf("got %v allocations, want 0", n)
	}
}
