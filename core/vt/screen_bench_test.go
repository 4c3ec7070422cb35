package vt_test

import (
	"bytes"
	"strconv"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core/vt"
)

// workloads are what programs write, each about 64 KiB.
var workloads = []struct {
	name string
	data []byte
}{
	{"ascii", fill(streams[0].unit)},
	{"sgr", fill("\x1b[38;5;123mHe\x1b[1;4;38;2;1;2;3mllo\x1b[0m \x1b[48;5;7mwor\x1b[0mld\x1b[31m!\x1b[m and \x1b[32msome more\x1b[0m text\r\n")},
	{"unicode", fill(streams[3].unit)},
	{"lines", fill("y\n")},
	{"region", fill("\x1b[2;39r\x1b[39;1Ha line that scrolls in the region\r\nand another one\r\n")},
	{"vim", vimLike()},
}

func fill(unit string) []byte { return bytes.Repeat([]byte(unit), 64<<10/len(unit)) }

// vimLike is an editor that draws its screen: moves, colours, erased lines.
func vimLike() []byte {
	var b strings.Builder
	for b.Len() < 60<<10 {
		b.WriteString("\x1b[?25l")
		for y := 1; y <= 38; y++ {
			b.WriteString("\x1b[" + strconv.Itoa(y) + ";1H\x1b[38;5;130m" + strconv.Itoa(100+y) + " \x1b[m\x1b[35mfunc\x1b[m (s *Screen) \x1b[1mwrite\x1b[m(p []\x1b[32mbyte\x1b[m) {\x1b[K")
		}
		b.WriteString("\x1b[39;1H\x1b[7m core/vt/screen.go                          12,1    Top\x1b[m\x1b[12;8H\x1b[?25h")
	}
	return []byte(b.String())
}

func benchmarkScreen() *vt.Screen {
	return vt.NewScreen(vt.Options{Rows: 40, Cols: 160, ScrollbackBytes: 2 << 20, Newline: true})
}

func BenchmarkScreen(b *testing.B) {
	for _, w := range workloads {
		b.Run(w.name, func(b *testing.B) {
			s := benchmarkScreen()
			for range 40 { // until the history is full
				s.Write(w.data)
			}
			b.SetBytes(int64(len(w.data)))
			b.ReportAllocs()
			for b.Loop() {
				s.Write(w.data)
			}
		})
	}
}

func BenchmarkAppendText(b *testing.B) {
	s := benchmarkScreen()
	s.Write(workloads[1].data)
	var p []byte
	b.ReportAllocs()
	for b.Loop() {
		p = s.AppendText(p[:0])
	}
}

// BenchmarkXterm has @xterm/headless do the same, and reports how many times
// faster we are.
func BenchmarkXterm(b *testing.B) {
	x := startXterm(b)
	for _, w := range workloads {
		b.Run(w.name, func(b *testing.B) {
			var answer struct{ BytesPerSecond float64 }
			x.ask(map[string]any{"bench": w.data, "rows": 40, "cols": 160, "milliseconds": 300}, &answer)
			s := benchmarkScreen()
			s.Write(w.data)
			n := 0
			for b.Loop() {
				s.Write(w.data)
				n += len(w.data)
			}
			ours := float64(n) / b.Elapsed().Seconds()
			b.ReportMetric(ours/1e6, "MB/s")
			b.ReportMetric(answer.BytesPerSecond/1e6, "xterm.js-MB/s")
			b.ReportMetric(ours/answer.BytesPerSecond, "times")
			b.ReportMetric(0, "ns/op")
		})
	}
}
