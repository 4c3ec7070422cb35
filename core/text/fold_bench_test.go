package text_test

import (
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core/text"
)

// discard is a Sink.
type discard struct{ n int }

func (d *discard) Append(p []byte) { d.n += len(p) }

// fill returns unit again and again, 64 KiB or somewhat more.
func fill(unit string) string {
	return strings.Repeat(unit, 64<<10/len(unit)+1)
}

var benchmarks = []struct{ name, in string }{
	{"plain", fill("2026-11-20T12:34:56.789Z INFO  server: request done method=GET path=/index.html status=200\n")},
	{"crlf", fill("2026-11-20T12:34:56.789Z INFO  server: request done method=GET path=/index.html status=200\r\n")},
	{"short-lines", fill("y\n")},
	{"tabs", fill("total\t12\t34\t56\tok\n")},
	{"unicode", fill("Zażółć gęślą jaźń · 汉字和假名 かな · ✅ 🚀 e\u0301 ½ °C «quoted»\n")},
	{"colour", fill("\x1b[2m2026-11-20T12:34:56Z\x1b[0m \x1b[32m INFO\x1b[0m \x1b[1mserver\x1b[0m: request done \x1b[3mstatus\x1b[0m=200\r\n")},
	{"dense-sgr", fill("\x1b[38;5;123mH\x1b[1;4;38;2;1;2;3me\x1b[0ml\x1b[48;5;7ml\x1b[0mo\x1b[31m!\x1b[m\n")},
	{"progress", fill("\r 42% [=====>          ]  12.3M/29.1M  1.2M/s  eta 14s")},
	{"progress-unicode", fill("\r 42% ━━━━━━━━━━╸━━━━━━━━━━ 12.3/29.1 MB 1.2 MB/s eta 0:00:14")},
	{"progress-erase", fill("\r\x1b[K 42% [=====>          ]  12.3M/29.1M")},
	{"spinner", fill("\b|\b/\b-\b\\")},
	{"hostile-overwrite", "\n" + strings.Repeat("世", 20<<10) + fill("\rx\x1b[50000Gy")},
	{"hostile-shift", "\n" + strings.Repeat("世", 500) + fill("\r\x1b[2@\x1b[2P")},
	{"hostile-erase", "\n" + strings.Repeat("x", 1000) + "\x1b[900G" + fill("\x1b[1K")},
	{"hostile-repad", "\n" + strings.Repeat("x", 60<<10) + fill("\x1b[2Kx")},
	{"hostile-pad", fill("\x1b[1024Gx\n")},
	{"hostile-marks", "x\r" + fill("e\u0301\u0301\u0301\r")},
}

func BenchmarkFolder(b *testing.B) {
	for _, s := range benchmarks {
		b.Run(s.name, func(b *testing.B) {
			in := []byte(s.in)
			var f text.Folder
			var dst discard
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			for b.Loop() {
				f.Write(&dst, in)
			}
		})
	}
}
