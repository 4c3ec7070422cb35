package vt_test

import (
	"testing"

	"github.com/terrarium-dev/terrarium/core/vt"
)

func TestRuneWidth(t *testing.T) {
	for _, test := range []struct {
		first, last rune
		want        int
	}{
		{-1, 0x1F, 0}, // C0
		{' ', '~', 1},
		{0x7F, 0x9F, 0}, // DEL and C1
		{0xA0, 0x2FF, 1},
		{0x300, 0x36F, 0},   // combining
		{0x370, 0x37F, 1},   // Greek
		{0x591, 0x5BD, 0},   // Hebrew points
		{0x1100, 0x115F, 2}, // Hangul leading consonants
		{0x1160, 0x11FF, 0}, // Hangul vowels and trailing consonants
		{0x200B, 0x200F, 0}, // zero width space, joiners, marks
		{0x2010, 0x2029, 1},
		{0x231A, 0x231B, 2}, // watch, hourglass
		{0x2500, 0x259F, 1}, // boxes and blocks are ambiguous
		{0x2614, 0x2615, 2},
		{0x2764, 0x2764, 1}, // heart, an emoji only with U+FE0F
		{0x2800, 0x28FF, 1}, // Braille
		{0x3041, 0x3096, 2}, // Hiragana
		{0x3099, 0x309A, 0}, // combining voiced sound marks
		{0x303F, 0x303F, 1},
		{0x4E00, 0x9FFF, 2}, // Han
		{0xAC00, 0xD7A3, 2}, // Hangul
		{0xD800, 0xDFFF, 1}, // surrogates, never in UTF-8
		{0xE000, 0xF8FF, 1}, // private use
		{0xFE00, 0xFE0F, 0}, // variation selectors
		{0xFEFF, 0xFEFF, 0}, // byte order mark
		{0xFF01, 0xFF60, 2}, // fullwidth
		{0xFF61, 0xFF9F, 1}, // halfwidth
		{0xFFFD, 0xFFFF, 1},
		{0x1F1E6, 0x1F1FF, 1}, // regional indicators
		{0x1F3FB, 0x1F3FF, 2}, // skin tones
		{0x1F600, 0x1F64F, 2},
		{0x1F680, 0x1F6C5, 2},
		{0x1FAE0, 0x1FAE8, 1}, // emoji that are newer than Unicode 11
		{0x20000, 0x2FFFD, 2},
		{0x2FFFE, 0x2FFFF, 1},
		{0x30000, 0x3FFFD, 2},
		{0x40000, 0xE0000, 1},
		{0xE0001, 0xE0001, 0},
		{0xE0020, 0xE007F, 0},
		{0xE0100, 0xE01EF, 0},
		{0xE01F0, 0x110000, 1},
	} {
		for r := test.first; r <= test.last; r++ {
			if got := vt.RuneWidth(r); got != test.want {
				t.Errorf("U+%04X: got %d, want %d", r, got, test.want)
				break
			}
		}
	}
}

// The numbers are those of the addon; the generator's test compares each width.
func TestRuneWidthCounts(t *testing.T) {
	var got [3]int
	for r := range rune(0x110000) {
		got[vt.RuneWidth(r)]++
	}
	if want := [3]int{2224, 930007, 181881}; got != want {
		t.Errorf("got %v characters of width 0, 1, 2, want %v", got, want)
	}
}

func BenchmarkRuneWidth(b *testing.B) {
	for _, test := range []struct{ name, text string }{
		{"ascii", "The quick brown fox jumps over the lazy dog"},
		{"latin", "Zażółć gęślą jaźń, ÆØÅ æøå ßüöä"},
		{"cjk", "汉字和假名 かな カタカナ 한국어"},
		{"emoji", "😀🚀✅🎉🔥"},
	} {
		runes := []rune(test.text)
		b.Run(test.name, func(b *testing.B) {
			n := 0
			for b.Loop() {
				for _, r := range runes {
					n += vt.RuneWidth(r)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(runes)), "ns/rune")
		})
	}
}
