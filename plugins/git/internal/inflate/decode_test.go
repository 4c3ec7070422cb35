package inflate

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/adler32"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
)

// samples are bytes that zlib compresses in its different ways.
func samples() [][]byte {
	random := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 70000)
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	skewed := make([]byte, 50000) // has codes of all lengths
	for i := range skewed {
		for skewed[i] = 0; random.Uint32()&1 == 0; skewed[i]++ {
		}
	}
	var text strings.Builder
	for i := range 3000 {
		text.WriteString("line ")
		for range i % 40 {
			text.WriteByte("etaoin shrdlu"[random.IntN(13)])
		}
		text.WriteByte('\n')
	}
	return [][]byte{nil, []byte("a"), []byte("commit 12\x00tree"), []byte(strings.Repeat("ab", 40000)),
		[]byte(strings.Repeat("abcdefghij", 3000)), make([]byte, 100000), noise, skewed, []byte(text.String())}
}

func compressWith(t testing.TB, b []byte, level int) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := zlib.NewWriterLevel(&out, level)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestDecode decodes what compress/zlib makes, with room for all of it and for less, out of all of
// it and out of less, one stream after the other.
func TestDecode(t *testing.T) {
	var d Decoder
	for i, want := range samples() {
		for _, level := range []int{zlib.HuffmanOnly, zlib.NoCompression, zlib.BestSpeed, zlib.BestCompression} {
			src := compressWith(t, want, level)
			check := func(room, length int, behind []byte, wantErr error) {
				t.Helper()
				fence := bytes.Repeat([]byte{0xa5}, 16)
				dst := append(make([]byte, room), fence...)
				n, err := d.Decode(dst[:room], append(src[:length:length], behind...))
				if err != wantErr {
					t.Errorf("sample %d, level %d, %d of %d bytes into %d: got %v, want %v", i, level, length, len(src), room, err, wantErr)
				}
				if (err == nil || err == ErrMore) && (n != min(room, len(want)) || !bytes.Equal(dst[:n], want[:n])) {
					t.Errorf("sample %d, level %d: got %d other bytes", i, level, n)
				}
				if !bytes.Equal(dst[room:], fence) {
					t.Errorf("sample %d, level %d: wrote beyond dst", i, level)
				}
			}
			check(len(want), len(src), nil, nil)
			check(len(want), len(src), []byte("what follows, which is not of it"), nil)
			check(len(want)+100, len(src), nil, nil)
			for _, less := range []int{1, 2, 3, 9, 17, 300} {
				if less <= len(want) {
					check(len(want)-less, len(src), nil, ErrMore)
				}
				if less <= len(src) {
					check(len(want), len(src)-less, nil, ErrShort)
				}
			}
		}
	}
}

// wrapped has a stream of bits of deflate's for all that zlib wants around it.
func wrapped(deflated, made []byte) []byte {
	return binary.BigEndian.AppendUint32(append([]byte{0x78, 0x9c}, deflated...), adler32.Checksum(made))
}

// TestRefused has streams that nobody makes.
func TestRefused(t *testing.T) {
	good := compressWith(t, []byte("some text, some text"), 6)
	change := func(i int, b byte) []byte {
		c := bytes.Clone(good)
		c[i] ^= b
		return c
	}
	for _, test := range []struct {
		name string
		src  []byte
		want error
	}{
		{"nothing", nil, ErrShort},
		{"another method", []byte{0x79, 0x9b}, ErrCorrupt},
		{"a window of 64 kB", []byte{0x88, 0x1c}, ErrCorrupt},
		{"a sum of the head", change(1, 1), ErrCorrupt},
		{"a dictionary", []byte{0x78, 0xbb, 0, 0, 0, 0}, ErrCorrupt},
		{"another sum", change(len(good)-1, 1), ErrCorrupt},
		{"a block of a kind that there is not", wrapped([]byte{7, 0, 0, 0, 0, 0, 0, 0, 0}, nil), ErrCorrupt},
		{"a stored block of two lengths", wrapped([]byte{1, 5, 0, 5, 0, 0, 0, 0, 0, 0}, nil), ErrCorrupt},
		{"a distance beyond the beginning", wrapped([]byte{0x4b, 0x04, 0x12, 0, 0, 0, 0, 0, 0}, nil), ErrCorrupt},
		{"287 symbols", wrapped([]byte{0xf5, 0, 0, 0, 0, 0, 0, 0, 0, 0}, nil), ErrCorrupt},
		{"no code of lengths", wrapped([]byte{0x05, 0, 0, 0, 0, 0, 0, 0, 0, 0}, nil), ErrCorrupt},
	} {
		var d Decoder
		if _, err := d.Decode(make([]byte, 100), test.src); err != test.want {
			t.Errorf("%s: got %v, want %v", test.name, err, test.want)
		}
	}
}

// FuzzDecode compares with compress/zlib.
func FuzzDecode(f *testing.F) {
	for _, b := range samples() {
		b = b[:min(len(b), 4000)]
		f.Add(compressWith(f, b, zlib.BestSpeed), 0)
		f.Add(compressWith(f, b, zlib.BestCompression), 1)
	}
	var d Decoder // of all streams, whatever the ones before have left in it
	f.Fuzz(func(t *testing.T, src []byte, less int) {
		const most = 1 << 20
		var want []byte
		z, wantErr := zlib.NewReader(bytes.NewReader(src))
		if wantErr == nil {
			want, wantErr = io.ReadAll(io.LimitReader(z, most))
		}
		if len(want) == most {
			return
		}
		if less < 0 || less > len(want) {
			less = 0
		}
		room := len(want) - less
		dst := make([]byte, room, room+8)
		n, err := d.Decode(dst, src)
		switch {
		case wantErr == nil && less == 0 && err != nil, wantErr == nil && less > 0 && err != ErrMore, wantErr != nil && err == nil:
			t.Fatalf("into %d bytes: got %v, want %v of %d", room, err, wantErr, len(want))
		case err == nil || err == ErrMore:
			if n != room || !bytes.Equal(dst, want[:n]) {
				t.Fatalf("got %d bytes, want %d", n, room)
			}
		}
		if !bytes.Equal(dst[room:cap(dst)], make([]byte, 8)) {
			t.Fatal("wrote beyond dst")
		}
	})
}
