package vt_test

import (
	"bytes"
	"testing"

	"github.com/terrarium-dev/terrarium/core/vt"
)

// ignore is a Handler that looks at all it is handed and does nothing.
type ignore struct{ n int }

func (h *ignore) Print(p []byte)                             { h.n += len(p) }
func (h *ignore) Execute(c byte)                             { h.n++ }
func (h *ignore) ESC(op vt.Op)                               { h.n++ }
func (h *ignore) CSI(op vt.Op, params *vt.Params)            { h.n += params.Len() }
func (h *ignore) OSC(payload []byte)                         { h.n += len(payload) }
func (h *ignore) DCS(op vt.Op, _ *vt.Params, payload []byte) { h.n += len(payload) }

// Streams of the kinds that differ most, each repeated to about 64 KiB.
var streams = []struct {
	name string
	unit string
}{
	{"ascii", "2026-11-20T12:34:56.789Z INFO  server: request done method=GET path=/index.html status=200\r\n"},
	{"sgr", "\x1b[38;5;123mH\x1b[1;4;38;2;1;2;3me\x1b[0ml\x1b[48;5;7ml\x1b[0mo\x1b[31m!\x1b[m\r\n"},
	{"colour-log", "\x1b[2m2026-11-20T12:34:56Z\x1b[0m \x1b[32m INFO\x1b[0m \x1b[1mserver\x1b[0m: request done \x1b[3mstatus\x1b[0m=200\r\n"},
	{"unicode", "Zażółć gęślą jaźń · 汉字和假名 かな · ✅ 🚀 e\u0301 ½ °C «quoted» \r\n"},
	{"latin1-dense", "£°§¿«»±²³¶·¹º½\r\n"},
	{"cursor", "\x1b[12;34Hab\x1b[2Kcd\x1b[1;1H\x1b[5Cx\r\n"},
	{"osc", "\x1b]8;;https://example.com/a/path\x1b\\link\x1b]8;;\x1b\\ \x1b]0;title\x07\r\n"},
}

func BenchmarkParser(b *testing.B) {
	for _, s := range streams {
		p := bytes.Repeat([]byte(s.unit), 64<<10/len(s.unit))
		b.Run(s.name, func(b *testing.B) {
			var parser vt.Parser
			var h ignore
			b.SetBytes(int64(len(p)))
			b.ReportAllocs()
			for b.Loop() {
				parser.Parse(&h, p)
			}
		})
	}
}
