package repo

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/go-git/go-git/v6/plumbing"
)

// sparseIndex makes an index that claims count objects, all named 0 and at offset 0, and that has
// the size for these and more bytes. It takes next to no room on disk.
func sparseIndex(t *testing.T, dir string, number, count int, more int64) {
	t.Helper()
	head := make([]byte, names)
	copy(head, "\xfftOc\x00\x00\x00\x02")
	for i := range 256 {
		binary.BigEndian.PutUint32(head[fanOut+4*i:], uint32(count))
	}
	name := filepath.Join(dir, fmt.Sprintf("pack-%040d.idx", number))
	if err := os.WriteFile(name, head, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(name, int64(names+count*entrySize+trailer)+more); err != nil {
		t.Fatal(err)
	}
}

// TestIndexBounds: indexes that are too many, too large together, or of another size than their
// count says, are not read; go-git is asked for what may be there.
func TestIndexBounds(t *testing.T) {
	const million = 31 << 20 / entrySize
	for _, test := range []struct {
		name  string
		packs int
		count int
		more  int64
		want  int // how many are read
	}{
		{name: "one object", packs: 1, count: 1, want: 1},
		{name: "no object in 31 MiB", packs: 1, more: 31 << 20},
		{name: "an offset that no object has", packs: 1, count: 1, more: 8},
		{name: "a byte too much", packs: 1, count: 1, more: 1},
		{name: "a byte too little", packs: 1, count: 1, more: -1},
		{name: "more than a million objects", packs: 1, count: maxIndex / entrySize},
		{name: "three millions of objects", packs: 3, count: million, want: 2},
		{name: "many packs", packs: maxPacks + 1, want: maxPacks},
	} {
		dir := t.TempDir()
		for i := range test.packs {
			sparseIndex(t, dir, i, test.count, test.more)
		}
		s := openPacks(dir)
		if len(s.list) != test.want || s.complete != (test.want == test.packs) {
			t.Errorf("%s: %d indexes are read, and it is said that these are all: %v", test.name, len(s.list), s.complete)
		}
	}
}

// TestFarOffset: the sums at the end of an index are no offset.
func TestFarOffset(t *testing.T) {
	dir := t.TempDir()
	sparseIndex(t, dir, 0, 1, 0)
	s := openPacks(dir)
	s.list[0].index[names+hashSize+4] = 0x80 // the first in a table that is not there
	if at, ok := s.has(plumbing.ZeroHash); ok {
		t.Errorf("got the offset %d", at.offset)
	}
}

// TestDeltaBounds: deltas that are of each other, or that are too large together, are given up
// before they take much memory.
func TestDeltaBounds(t *testing.T) {
	const length = 64 << 10
	for _, test := range []struct {
		name string
		size int     // that the second delta claims to have
		of   [2]byte // by the number of an object
	}{
		{"a delta of itself", length, [2]byte{0, 1}},
		{"deltas of each other", length, [2]byte{1, 0}},
		{"too much together", maxObject, [2]byte{1, 1}},
	} {
		dir := t.TempDir()
		var pack bytes.Buffer
		index := make([]byte, names+2*entrySize+trailer)
		copy(index, "\xfftOc\x00\x00\x00\x02")
		for i := range 256 {
			binary.BigEndian.PutUint32(index[fanOut+4*i:], uint32(min(i+1, 2)))
		}
		for i, size := range []int{length, test.size} { // named by bytes that are 0, or 1
			copy(index[names+i*hashSize:], bytes.Repeat([]byte{byte(i)}, hashSize))
			binary.BigEndian.PutUint32(index[names+2*(hashSize+4)+4*i:], uint32(pack.Len()))
			first := byte(refDelta<<4 | size&15)
			for size >>= 4; size > 0; size >>= 7 {
				pack.WriteByte(first | 0x80)
				first = byte(size & 0x7f)
			}
			pack.WriteByte(first)
			pack.Write(bytes.Repeat(test.of[i:i+1], hashSize))
			z := zlib.NewWriter(&pack)
			z.Write(make([]byte, length))
			z.Close()
		}
		pack.Write(make([]byte, maxObject/maxRatio)) // so that all of a claim may be true
		for suffix, b := range map[string][]byte{".idx": index, ".pack": pack.Bytes()} {
			if err := os.WriteFile(filepath.Join(dir, "pack"+suffix), b, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		s := openPacks(dir)
		at, ok := s.has(plumbing.ZeroHash)
		if !ok {
			t.Fatal("the pack has no first object")
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _, err := s.read(at)
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; err == nil || took > 8<<20 {
			t.Errorf("%s: took %d bytes: %v", test.name, took, err)
		}
		at.pack.file.Close()
	}
}
