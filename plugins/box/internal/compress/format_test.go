package compress

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/ulikunitz/xz"
)

// fixtures hold "one\ntwo\nthree\n", as Debian's tools write it.
var fixtures = map[Format]string{
	Gzip:  "H4sICNmBOGYAA2YAy89L5Sopz+cqyShKTeUCALbV5iUOAAAA",
	Bzip2: "QlpoOTFBWSZTWQh7fdcAAATBgAAQAkGUgCAAMQwIIaPUyIVHMjio8XckU4UJAIe33XA=",
	XZ:    "/Td6WFoAAATm1rRGAgAhARYAAAB0L+WjAQANb25lCnR3bwp0aHJlZQoAAACUhJIr6JdbfQABJg4IG+AEH7bzfQEAAAAABFla",
}

const fixture = "one\ntwo\nthree\n"

func decoded(t testing.TB, f Format) []byte {
	p, err := base64.StdEncoding.DecodeString(fixtures[f])
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func readAll(f Format, p []byte) (string, error) {
	r, err := NewReader(f, bufio.NewReader(bytes.NewReader(p)))
	if err != nil {
		return "", err
	}
	data, err := io.ReadAll(r)
	return string(data), err
}

// A file that was cut anywhere is found out, and what can be read of it is read.
func TestCut(t *testing.T) {
	for f := range fixtures {
		p := decoded(t, f)
		if Detect(p) != f {
			t.Errorf("%v: got %v", f, Detect(p))
		}
		if got, err := readAll(f, p); got != fixture || err != nil {
			t.Errorf("%v: got %q, %v", f, got, err)
		}
		for n := 6; n < len(p); n++ {
			got, err := readAll(f, p[:n])
			if err != io.ErrUnexpectedEOF || !strings.HasPrefix(fixture, got) {
				t.Errorf("%v: %d of %d bytes: got %q, %v", f, n, len(p), got, err)
			}
		}
	}
}

// Any changed byte of an xz file is noticed: the container has checks of all of it.
func TestChanged(t *testing.T) {
	for i := range decoded(t, XZ) {
		p := decoded(t, XZ)
		p[i] ^= 0x11
		if got, err := readAll(XZ, p); err == nil {
			t.Errorf("byte %d: got %q without an error", i, got)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	data := strings.Repeat("a line that comes again\n", 10_000)
	for _, f := range []Format{None, Gzip, XZ} {
		for _, level := range []int{1, 9} {
			var b bytes.Buffer
			w, err := NewWriter(f, &b, level)
			if err != nil {
				t.Fatal(err)
			}
			io.WriteString(w, data)
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if f == XZ {
				theirs, err := xz.NewReader(bytes.NewReader(b.Bytes()))
				if err != nil {
					t.Fatal(err)
				}
				if got, err := io.ReadAll(theirs); string(got) != data || err != nil {
					t.Errorf("-%d: the library reads %d bytes, %v", level, len(got), err)
				}
			}
			if got, err := readAll(f, b.Bytes()); got != data || err != nil {
				t.Errorf("%v -%d: got %d bytes, %v", f, level, len(got), err)
			}
		}
	}
}

// dictionary returns the file with a header that asks for another dictionary.
func dictionary(t testing.TB, bits byte) []byte {
	p := decoded(t, XZ)
	block := p[12:24]
	block[4] = bits
	binary.LittleEndian.PutUint32(block[8:], crc32.ChecksumIEEE(block[:8]))
	return p
}

func TestDictionaryIsBounded(t *testing.T) {
	for bits, want := range map[byte]error{0: nil, 28: nil, 29: ErrMemory, 39: ErrMemory, 40: ErrMemory, 41: ErrOptions} {
		if _, err := readAll(XZ, dictionary(t, bits)); err != want {
			t.Errorf("%d: got %v, want %v", bits, err, want)
		}
	}
}

// A bomb's memory is that of any file.
func TestBomb(t *testing.T) {
	for _, f := range []Format{Gzip, XZ} {
		var b bytes.Buffer
		w, err := NewWriter(f, &b, 6)
		if err != nil {
			t.Fatal(err)
		}
		block := make([]byte, 1<<20)
		for range 64 {
			w.Write(block)
		}
		w.Close()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r, err := NewReader(f, bufio.NewReader(&b))
		if err != nil {
			t.Fatal(err)
		}
		n, err := io.Copy(io.Discard, r)
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; n != 64<<20 || err != nil || took > 20<<20 {
			t.Errorf("%v: got %d bytes, %v, for %d bytes of memory", f, n, err, took)
		}
	}
}

// What is no archive, or a bad one, is an error of ours and ends.
func FuzzReader(f *testing.F) {
	for format := range fixtures {
		f.Add(byte(format), decoded(f, format))
	}
	f.Add(byte(XZ), dictionary(f, 40))
	f.Fuzz(func(t *testing.T, format byte, p []byte) {
		kind := Format(format % 4)
		r, err := NewReader(kind, bufio.NewReader(bytes.NewReader(p)))
		if err == nil {
			_, err = io.CopyN(io.Discard, r, 1<<20)
		}
		known := []error{nil, io.EOF, io.ErrUnexpectedEOF, ErrFormat, ErrCorrupt, ErrChecksum, ErrTrailing, ErrOptions, ErrMemory}
		for _, k := range known {
			if errors.Is(err, k) {
				return
			}
		}
		t.Errorf("%v: got %v", kind, err)
	})
}
