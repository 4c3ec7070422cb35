package challenge

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"
)

// pythonLoads prints, for each line of JSON that is a string, what Python's
// json.loads has against that string.
const pythonLoads = `
import json, sys
for line in sys.stdin:
    try:
        json.loads(json.loads(line))
        print(json.dumps(""))
    except json.JSONDecodeError as e:
        print(json.dumps(str(e)))
`

// TestPythonLoads compares load, and what it says, with Python on texts made
// of pieces that go together well and badly.
func TestPythonLoads(t *testing.T) {
	version, err := exec.Command("python3", "-c", "import sys; print(sys.version_info[:2] <= (3, 12))").Output()
	if err != nil {
		t.Skipf("needs python3: %v", err)
	}
	if strings.TrimSpace(string(version)) != "True" {
		t.Skip("needs python3 before 3.13, which words errors in another way")
	}
	pieces := strings.Split(`{|}|[|]|"|:|,|\|\n|\u0041|\ud83d|\ude00|\u12|\x|true|false|null|NaN|Infinity|-Infinity|-|0|01|1.|1.5|1e5|1e|1e+|-0|`+
		"é|漢|😀|\u00a0|\n|\t|\x00|\x1f|\x7f|{\"a\":1}|[1, 2]|\"a\": |\"é\\u00e9\"| |", "|")
	random := rand.New(rand.NewPCG(1, 2))
	var texts []string
	var input bytes.Buffer
	for range 20_000 {
		var b strings.Builder
		for range 1 + random.IntN(12) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		texts = append(texts, b.String())
		line, err := json.Marshal(b.String())
		if err != nil {
			t.Fatal(err)
		}
		input.Write(append(line, '\n'))
	}
	cmd := exec.Command("python3", "-c", pythonLoads)
	cmd.Stdin = &input
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	if len(lines) != len(texts) {
		t.Fatalf("got %d answers, want %d", len(lines), len(texts))
	}
	for i, line := range lines {
		var want string
		if err := json.Unmarshal(line, &want); err != nil {
			t.Fatal(err)
		}
		got := ""
		if _, err := load(texts[i]); err != nil {
			got = err.describe(texts[i])
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", texts[i], got, want)
		}
	}
}

func TestParseFloat(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"0.1", "0.1"}, {" 5 ", "5"}, {"\u20035\u00a0", "5"}, {"1e1", "10"}, {"+.5", "0.5"}, {"5.", "5"}, {"1_000", "1000"}, {"1_0.0_1e0_1", "100.1"},
		{"inf", `"inf"`}, {"-Infinity", `"-inf"`}, {"+nan", `"nan"`}, {"-NaN", `"nan"`}, {"1e400", `"inf"`}, {"-1e400", `"-inf"`}, {"1e-400", "0"},
		{"５", "5"}, {"١٢", "12"}, {"𝟗", "9"},
		{"", ""}, {".", ""}, {"e5", ""}, {"0x10", ""}, {"0x1p4", ""}, {"5s", ""}, {"0,5", ""}, {"_1", ""}, {"1_", ""}, {"1__0", ""}, {"1_.5", ""},
		{"- 5", ""}, {"--nan", ""}, {"infinit", ""}, {"²", ""}, {"1 0", ""},
	} {
		got := ""
		if f, ok := parseFloat(test.in); ok {
			got = string(appendFloat(nil, f))
		}
		if got != test.want {
			t.Errorf("%q: got %q, want %q", test.in, got, test.want)
		}
	}
}

func TestRepr(t *testing.T) {
	for in, want := range map[string]string{
		"":                   `''`,
		"it's":               `"it's"`,
		`it's "so"`:          `'it\'s "so"'`,
		"a\\b\n\r\t":         `'a\\b\n\r\t'`,
		"\x00\x1b\x7f\u0085": `'\x00\x1b\x7f\x85'`,
		"é漢😀":                `'é漢😀'`,
		"\u00a0\u200b\u2028": `'\xa0\u200b\u2028'`,
		"\ue000\U000e0001":   `'\ue000\U000e0001'`,
	} {
		if got := repr(in); got != want {
			t.Errorf("%q: got %s, want %s", in, got, want)
		}
	}
}
