package proxy

import (
	"slices"
	"strings"
	"testing"
)

// TestSplitter cuts a stream anywhere: the same lines come out, and no byte is lost.
func TestSplitter(t *testing.T) {
	const short, end = "one\n\r\n\ntwo\r\n", "three\nrest"
	long := strings.Repeat("x", maxLine+1) + "\n"
	for _, test := range []struct {
		step         int
		stream, want string
	}{
		{1, short + end, "one\n|\r\n|\n|two\r\n|three\n|rest"},
		{7, short + end, "one\n|\r\n|\n|two\r\n|three\n|rest"},
		{64 << 10, short + long + end, "one\n|\r\n|\n|two\r\n|long|three\n|rest"},
		{64 << 20, short + long + end, "one\n|\r\n|\n|two\r\n|long|three\n|rest"},
	} {
		var s splitter
		var all []byte
		var lines []string
		take := func(p piece) {
			all = append(all, p.bytes...)
			if !p.long {
				lines = append(lines, string(p.bytes))
			} else if p.ended {
				lines = append(lines, "long")
			}
		}
		for p := range slices.Chunk([]byte(test.stream), test.step) {
			s.split(p, take)
		}
		s.flush(take)
		if string(all) != test.stream {
			t.Errorf("steps of %d: got %d bytes, want %d", test.step, len(all), len(test.stream))
		}
		if got := strings.Join(lines, "|"); got != test.want {
			t.Errorf("steps of %d: got %q, want %q", test.step, got, test.want)
		}
	}
}
