package vt_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/core/vt"
)

// A transcript is a Handler that writes down what it is told, one line each.
// Adjacent runs of text are one.
type transcript struct {
	lines []string
	text  []byte
}

func (t *transcript) add(format string, args ...any) {
	if len(t.text) > 0 {
		t.lines = append(t.lines, string(t.text))
		t.text = nil
	}
	if format != "" {
		t.lines = append(t.lines, fmt.Sprintf(format, args...))
	}
}

func (t *transcript) Print(p []byte)                  { t.text = append(t.text, p...) }
func (t *transcript) Execute(c byte)                  { t.add("<%02X>", c) }
func (t *transcript) ESC(op vt.Op)                    { t.add("ESC %v", op) }
func (t *transcript) CSI(op vt.Op, params *vt.Params) { t.add("CSI %v%v", paramString(params), op) }
func (t *transcript) OSC(p []byte)                    { t.add("OSC %s", p) }
func (t *transcript) DCS(op vt.Op, params *vt.Params, p []byte) {
	t.add("DCS %v%v %s", paramString(params), op, p)
}

func paramString(p *vt.Params) string {
	var b strings.Builder
	for i := range p.Len() {
		switch {
		case i > 0 && p.Sub(i):
			b.WriteByte(':')
		case i > 0:
			b.WriteByte(';')
		}
		if v := p.Value(i); v >= 0 {
			b.WriteString(strconv.Itoa(v))
		}
	}
	b.WriteByte(' ')
	return b.String()
}

func parse(chunks ...string) []string {
	var p vt.Parser
	var t transcript
	for _, c := range chunks {
		p.Parse(&t, []byte(c))
	}
	t.add("")
	return t.lines
}

func TestParser(t *testing.T) {
	for _, test := range []struct {
		name string
		in   string
		want []string
	}{
		{"nothing", "", nil},
		{"text", "héllo 世界 🚀 e\u0301", []string{"héllo 世界 🚀 e\u0301"}},
		{"long text", strings.Repeat("0123456789", 10), []string{strings.Repeat("0123456789", 10)}},
		{"lines", "a\r\nb\n", []string{"a", "<0D>", "<0A>", "b", "<0A>"}},
		{"all C0", "\x00\x01\x07\x08\x09\x0E\x0F\x1C\x1F", []string{"<00>", "<01>", "<07>", "<08>", "<09>", "<0E>", "<0F>", "<1C>", "<1F>"}},
		{"NUL and DEL between text", "a\x00b\x7Fc", []string{"a", "<00>", "bc"}},
		{"text starting with the byte of C1", "\u00A0½°\u00BF", []string{"\u00A0½°\u00BF"}},

		{"CSI", "\x1b[m\x1b[1m\x1b[1;31m", []string{"CSI 0 m", "CSI 1 m", "CSI 1;31 m"}},
		{"empty parameters", "\x1b[;H\x1b[;;3H\x1b[3;H", []string{"CSI 0;0 H", "CSI 0;0;3 H", "CSI 3;0 H"}},
		{"leading zeros", "\x1b[0001;00H", []string{"CSI 1;0 H"}},
		{"sub-parameters", "\x1b[4:3;38:2::1:22:255;5m", []string{"CSI 4:3;38:2::1:22:255;5 m"}},
		{"sub-parameters of nothing", "\x1b[:3m\x1b[4:m\x1b[::m", []string{"CSI 0:3 m", "CSI 4: m", "CSI 0:: m"}},
		{"prefix", "\x1b[?25h\x1b[>c\x1b[=1u\x1b[<0;1;2M", []string{"CSI 25 ?h", "CSI 0 >c", "CSI 1 =u", "CSI 0;1;2 <M"}},
		{"intermediates", "\x1b[4 q\x1b[!p\x1b[?1$p\x1b[1\"q\x1b[1 !q", []string{"CSI 4  q", "CSI 0 !p", "CSI 1 ?$p", "CSI 1 \"q", "CSI 1  !q"}},
		{"prefix and two intermediates", "\x1b[?1#$p", []string{"CSI 1 ?#$p"}},
		{"every final", "\x1b[@\x1b[~\x1b[`\x1b[\\", []string{"CSI 0 @", "CSI 0 ~", "CSI 0 `", "CSI 0 \\"}},

		{"C0 inside CSI", "\x1b[1\r;\n2\b\x07m", []string{"<0D>", "<0A>", "<08>", "<07>", "CSI 1;2 m"}},
		{"C0 inside CSI to drop", "\x1b[1?\r2mx", []string{"<0D>", "x"}},
		{"DEL inside CSI", "\x1b[1\x7F2m", []string{"CSI 12 m"}},
		{"CAN and SUB abort CSI", "\x1b[1\x18mx\x1b[1\x1Amy", []string{"<18>", "mx", "<1A>", "my"}},
		{"ESC restarts", "\x1b[1\x1b[2m\x1b\x1b[3m\x1b(\x1b[4m", []string{"CSI 2 m", "CSI 3 m", "CSI 4 m"}},
		{"prefix not first", "\x1b[1?mx\x1b[??my", []string{"xy"}},
		{"parameter after intermediate", "\x1b[1 2qx", []string{"x"}},
		{"three intermediates", "\x1b[ !\"qx\x1b[? !\"q\x1b ( !Ay", []string{"xy"}},
		{"other character inside CSI", "\x1b[1émx", []string{"mx"}},
		{"other character inside CSI to drop", "\x1b[1?é1mx", []string{"x"}},
		{"other character inside ESC", "\x1b世x\x1b(éy", []string{"xy"}},

		{"ESC", "\x1bM\x1b7\x1bc\x1b=", []string{"ESC M", "ESC 7", "ESC c", "ESC ="}},
		{"ESC with intermediates", "\x1b(0\x1b#8\x1b(%5\x1b G", []string{"ESC (0", "ESC #8", "ESC (%5", "ESC  G"}},
		{"ESC with an intermediate before [", "\x1b([x", []string{"ESC ([", "x"}},
		{"ESC with an intermediate before \\", "\x1b!\\x", []string{"ESC !\\", "x"}},
		{"C0 inside ESC", "\x1b\r(\n0", []string{"<0D>", "<0A>", "ESC (0"}},
		{"DEL inside ESC", "\x1b\x7FM", []string{"ESC M"}},
		{"stray ST", "a\x1b\\b\u009Cc", []string{"abc"}},

		{"C1", "\u0084\u0085\u0088\u008D\u0080\u0099", []string{"<84>", "<85>", "<88>", "<8D>", "<80>", "<99>"}},
		{"C1 CSI", "\u009B1;2m", []string{"CSI 1;2 m"}},
		{"C1 OSC and ST", "\u009D0;t\u009Cx", []string{"OSC 0;t", "x"}},
		{"C1 DCS", "\u0090$qm\u009C", []string{"DCS 0 $q m"}},
		{"C1 inside CSI", "\x1b[1\u0085m\x1b[1\u009B2m", []string{"<85>", "m", "CSI 2 m"}},
		{"C1 inside ESC", "\x1b\u0085M\x1b(\u009B2m", []string{"<85>", "M", "CSI 2 m"}},

		{"OSC and BEL", "\x1b]0;tïtle\x07x", []string{"OSC 0;tïtle", "x"}},
		{"OSC and ST", "\x1b]8;;https://a.b/c\x1b\\x", []string{"OSC 8;;https://a.b/c", "x"}},
		{"empty OSC", "\x1b]\x07\x1b]\x1b\\", []string{"OSC ", "OSC "}},
		{"C0 in OSC", "\x1b]0;a\r\nb\x00c\x07", []string{"OSC 0;abc"}},
		{"DEL in OSC", "\x1b]0;a\x7Fb\x07", []string{"OSC 0;a\x7Fb"}},
		{"ESC ends OSC", "\x1b]0;t\x1b[1mx", []string{"OSC 0;t", "CSI 1 m", "x"}},
		{"CAN and SUB abort OSC", "\x1b]0;t\x18x\x1b]0;u\x1Ay", []string{"<18>", "x", "<1A>", "y"}},
		{"C1 aborts OSC", "\x1b]0;t\u0085x\x1b]0;u\u009B1m\x1b]0;v\u009D1\x07", []string{"<85>", "x", "CSI 1 m", "OSC 1"}},

		{"DCS", "\x1bP1;2$q\"p\x1b\\x", []string{"DCS 1;2 $q \"p", "x"}},
		{"DCS with prefix", "\x1bP>1|foo\x1b\\", []string{"DCS 1 >| foo"}},
		{"BEL and C0 in DCS", "\x1bPqa\x07\r\nb\x1b\\x", []string{"DCS 0 q a\x07\r\nb", "x"}},
		{"C0 before the payload of DCS", "\x1bP\r1\n$\x00q\x1b\\", []string{"DCS 1 $q "}},
		{"DEL before the payload of DCS", "\x1bP1\x7F2q\x1b\\", []string{"DCS 12 q "}},
		{"ESC ends DCS", "\x1bPqa\x1bMx", []string{"DCS 0 q a", "ESC M", "x"}},
		{"ESC before the payload of DCS", "\x1bP1\x1bMx", []string{"ESC M", "x"}},
		{"CAN aborts DCS", "\x1bPqa\x18x\x1bP1\x18y", []string{"<18>", "x", "<18>", "y"}},
		{"C1 aborts DCS", "\x1bPqa\u0085x", []string{"<85>", "x"}},
		{"bad DCS", "\x1bP1?q\x07a\u009Cx\x1bP$1qa\x1b\\y\x1bP !\"qa\x1b\\z", []string{"xyz"}},
		{"other character before the payload of DCS", "\x1bP1éqx", []string{"qx"}},

		{"APC, PM and SOS", "\x1b_a\x07\r\x1b\\x\x1b^b\x1b\\y\x1bXc\x1b\\z", []string{"xyz"}},
		{"C1 APC, PM and SOS", "\u009Fa\u009Cx\u009Eb\u009Cy\u0098c\u009Cz", []string{"xyz"}},
		{"other characters in APC", "\x1b_世界é\x1b\\x", []string{"x"}},
		{"CAN and C1 abort APC", "\x1b_a\x18x\x1b_a\u0085y", []string{"<18>", "x", "<85>", "y"}},

		{"sequences cut at the end", "x\x1b[1;", []string{"x"}},
		{"string cut at the end", "x\x1b]0;abc", []string{"x"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := parse(test.in); !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
			for i := range test.in {
				if got := parse(test.in[:i], test.in[i:]); !slices.Equal(got, test.want) {
					t.Errorf("cut before byte %d: got %q, want %q", i, got, test.want)
				}
			}
			if got := parse(strings.Split(test.in, "")...); !slices.Equal(got, test.want) {
				t.Errorf("in single characters: got %q, want %q", got, test.want)
			}
		})
	}
}

func TestParamsAreBounded(t *testing.T) {
	values := make([]string, 40)
	for i := range values {
		values[i] = strconv.Itoa(i + 1)
	}
	all := strings.Join(values, ";")
	kept := strings.Join(values[:vt.MaxParams], ";")
	for _, test := range []struct{ in, want string }{
		{"\x1b[" + all + "m", "CSI " + kept + " m"},
		{"\x1b[" + strings.ReplaceAll(all, ";", ":") + "m", "CSI " + strings.ReplaceAll(kept, ";", ":") + " m"},
		{"\x1b[" + kept + "m", "CSI " + kept + " m"},
		{"\x1b[65535;65536;99999999999999999999;4:4294967297m", "CSI 65535;65535;65535;4:65535 m"},
	} {
		if got := parse(test.in); !slices.Equal(got, []string{test.want}) {
			t.Errorf("%q: got %q, want %q", test.in, got, test.want)
		}
	}
}

func TestParamsMissing(t *testing.T) {
	p := vt.Parser{}
	var got []int
	p.Parse(csiFunc(func(_ vt.Op, params *vt.Params) {
		got = append(got, params.Or(0, 9), params.Or(1, 9), params.Or(2, 9), params.Value(2), params.Or(99, 9))
	}), []byte("\x1b[0;7H"))
	if want := []int{9, 7, 9, 0, 9}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// csiFunc is a Handler for control sequences.
type csiFunc func(vt.Op, *vt.Params)

func (f csiFunc) Print([]byte)                  {}
func (f csiFunc) Execute(byte)                  {}
func (f csiFunc) ESC(vt.Op)                     {}
func (f csiFunc) CSI(op vt.Op, p *vt.Params)    { f(op, p) }
func (f csiFunc) OSC([]byte)                    {}
func (f csiFunc) DCS(vt.Op, *vt.Params, []byte) {}

func TestPayloadIsBounded(t *testing.T) {
	for _, form := range []struct{ start, end, log string }{
		{"\x1b]", "\x07", "OSC "},
		{"\x1b]", "\x1b\\", "OSC "},
		{"\x1bPq", "\x1b\\", "DCS 0 q "},
	} {
		for _, chunk := range []int{1 << 20, 1000} {
			full := strings.Repeat("x", vt.MaxPayload)
			for payload, want := range map[string][]string{
				full:       {form.log + full, "after"},
				full + "x": {"after"},
			} {
				in := form.start + payload + form.end + "after"
				got := parse(chunks(in, chunk)...)
				if !slices.Equal(got, want) {
					t.Errorf("%q with %d bytes in chunks of %d: got %d lines, want %d", form.start, len(payload), chunk, len(got), len(want))
				}
			}
		}
	}
}

func chunks(s string, n int) []string {
	var c []string
	for ; len(s) > n; s = s[n:] {
		c = append(c, s[:n])
	}
	return append(c, s)
}

func TestGround(t *testing.T) {
	var p vt.Parser
	for _, step := range []struct {
		in   string
		want bool
	}{{"a", true}, {"\x1b", false}, {"[1", false}, {"m", true}, {"\x1b]0;", false}, {"\x1b", false}, {"\\", true}} {
		p.Parse(new(transcript), []byte(step.in))
		if got := p.Ground(); got != step.want {
			t.Errorf("after %q: got %v, want %v", step.in, got, step.want)
		}
	}
}

func TestParserDoesNotAllocate(t *testing.T) {
	for _, s := range streams {
		var p vt.Parser
		var h ignore
		in := []byte(s.unit)
		if n := testing.AllocsPerRun(100, func() { p.Parse(&h, in) }); n != 0 {
			t.Errorf("%s: got %v allocations, want 0", s.name, n)
		}
		bytewise := func() {
			for rest := in; len(rest) > 0; {
				_, n := utf8.DecodeRune(rest)
				p.Parse(&h, rest[:n])
				rest = rest[n:]
			}
		}
		if n := testing.AllocsPerRun(100, bytewise); n != 0 {
			t.Errorf("%s in single characters: got %v allocations, want 0", s.name, n)
		}
	}
}
