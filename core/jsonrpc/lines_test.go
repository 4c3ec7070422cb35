package jsonrpc_test

import (
	"bytes"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// split feeds a stream in pieces of the sizes, again and again, and returns
// copies of the lines; a line that is too long is "!".
func split(l *jsonrpc.Lines, stream string, sizes ...int) (lines []string) {
	for i := 0; len(stream) > 0; i++ {
		n := min(max(sizes[i%len(sizes)], 1), len(stream))
		p := []byte(stream[:n])
		for line, err := range l.Split(p) {
			if err != nil {
				line = []byte("!")
			}
			lines = append(lines, string(line))
		}
		clear(p) // what was kept is a copy
		stream = stream[n:]
	}
	if last := l.Flush(); last != nil {
		lines = append(lines, string(last))
	}
	return lines
}

func TestLines(t *testing.T) {
	for _, tt := range []struct {
		stream string
		want   []string
	}{
		{"", nil},
		{"a\nb\n", []string{"a", "b"}},
		{"a\r\n\r\n\n  \t\r\n b \r\n", []string{"a", " b "}},
		{"a\rb\r\r\n", []string{"a\rb\r"}},
		{"a\nlast", []string{"a", "last"}},
		{"a\nlast\r", []string{"a", "last"}},
		{"a\n \r", []string{"a"}},
		{"12345678\nb\n", []string{"12345678", "b"}},
		{"123456789\nb\n", []string{"!", "b"}},
		{"1234567\r\n12345678\r\nb\n", []string{"1234567", "!", "b"}},
		{strings.Repeat("x", 100) + "\n" + strings.Repeat("y", 100) + "\n\nb\n", []string{"!", "!", "b"}},
		{"a\n" + strings.Repeat("x", 100), []string{"a", "!"}},
	} {
		for size := 1; size < 30; size++ {
			l := jsonrpc.Lines{Max: 8}
			if got := split(&l, tt.stream, size); !slices.Equal(got, tt.want) {
				t.Errorf("%.20q in pieces of %d: got %q, want %q", tt.stream, size, got, tt.want)
			}
			if got, want := split(&l, "again\n", 3), []string{"again"}; !slices.Equal(got, want) {
				t.Errorf("after Flush: got %q, want %q", got, want)
			}
		}
	}
}

func TestLinesReportsALongLineAtOnce(t *testing.T) {
	l := jsonrpc.Lines{Max: 8}
	for _, err := range l.Split([]byte("0123456789")) {
		if err != jsonrpc.ErrLineTooLong {
			t.Errorf("got %v, want %v", err, jsonrpc.ErrLineTooLong)
		}
		return
	}
	t.Error("got nothing before the line ended")
}

func TestLinesDefaultLimit(t *testing.T) {
	var l jsonrpc.Lines
	whole := bytes.Repeat([]byte("x"), jsonrpc.DefaultMaxLine)
	for range l.Split(whole) {
		t.Error("got a line before its end")
	}
	for line, err := range l.Split([]byte("\n")) {
		if len(line) != len(whole) || err != nil {
			t.Errorf("got %d bytes and %v, want %d", len(line), err, len(whole))
		}
	}
	for _, err := range l.Split(append(whole, 'x')) {
		if err != jsonrpc.ErrLineTooLong {
			t.Errorf("got %v, want %v", err, jsonrpc.ErrLineTooLong)
		}
	}
}

// A buffer as large as the longest line so far must not stay.
func TestLinesForgetsAGiantLine(t *testing.T) {
	const giant = 16 << 20
	half := bytes.Repeat([]byte("x"), giant/2)
	for name, end := range map[string]string{"whole": "\n", "too long": "xx"} {
		l := jsonrpc.Lines{Max: giant}
		before := heap()
		for range 2 {
			for range l.Split(half) {
			}
		}
		for range l.Split([]byte(end)) {
		}
		if grown := heap() - before; grown > giant/8 {
			t.Errorf("%s: got %d more bytes in use, want next to none", name, grown)
		}
		l.Flush()
	}
	runtime.KeepAlive(half)
}

// heap returns how many bytes are in use.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// A whole line is not copied, and a line in pieces needs no new buffer.
func TestLinesAllocatesNothing(t *testing.T) {
	var l jsonrpc.Lines
	p := []byte("{\"a\":1}\n{\"b\":2}\n{\"c\"")
	q := []byte(":3}\n")
	for line := range l.Split(p[:8]) {
		if unsafe.SliceData(line) != unsafe.SliceData(p) {
			t.Error("a whole line was copied")
		}
	}
	n := testing.AllocsPerRun(100, func() {
		for range l.Split(p) {
		}
		for range l.Split(q) {
		}
	})
	if n != 0 {
		t.Errorf("got %v allocations, want 0", n)
	}
}

func FuzzLines(f *testing.F) {
	f.Add("a\nb\r\n\n   \nlong long line\nrest", 3, 7)
	f.Add("\r\n\r\r\n\n", 1, 2)
	f.Add(strings.Repeat("x", 40)+"\ny", 9, 1)
	f.Fuzz(func(t *testing.T, stream string, a, b int) {
		const limit = 12
		l := jsonrpc.Lines{Max: limit}
		got := split(&l, stream, a, b)
		if want := splitAtOnce(stream, limit); !slices.Equal(got, want) {
			t.Errorf("%q in pieces of %d and %d: got %q, want %q", stream, a, b, got, want)
		}
	})
}

func splitAtOnce(stream string, limit int) (lines []string) {
	for _, line := range strings.Split(stream, "\n") {
		if len(line) > limit {
			lines = append(lines, "!")
			continue
		}
		line = strings.TrimSuffix(line, "\r")
		if strings.Trim(line, " \t\r") != "" {
			lines = append(lines, line)
		}
	}
	return lines
}
