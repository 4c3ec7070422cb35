package repo

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v6/plumbing"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/inflate"
)

// packs reads the objects of a repository's packs. What it can't read is for go-git, which takes
// several times as long: it computes the name of each object, and reads the index by single bytes.
// https://git-scm.com/docs/pack-format
type packs struct {
	names    []string // of the indexes that there are, in order
	list     []*pack
	complete bool // whether all packs that there are are in the list

	blocks  kept[place] // of packs
	objects kept[place] // that others may be deltas of; each begins with its kind
	inflate inflate.Decoder
}

// A place is a pack's object, or block, by its offset.
type place struct {
	pack   *pack
	offset int64
}

// What is read of packs, in bytes.
const (
	maxIndex   = 32 << 20 // one index: that of a million objects
	maxIndexes = 64 << 20 // all indexes
	maxPacks   = 64       // packs that are kept open
	blockSize  = 32 << 10
	keptBlocks = 4 << 20
	keptBases  = 8 << 20
	maxChain   = 10000 // deltas of deltas
)

// openPacks opens the packs in a directory. What is no pack, or has an index of another form, is
// left out.
func openPacks(dir string) *packs {
	p := &packs{complete: true, blocks: kept[place]{limit: keptBlocks}, objects: kept[place]{limit: keptBases}}
	var err error
	if p.names, err = indexes(dir); err != nil {
		p.complete = false
		return p
	}
	room := maxIndexes
	for _, name := range p.names {
		if len(p.list) == maxPacks {
			p.complete = false
			break
		}
		one, err := openPack(filepath.Join(dir, strings.TrimSuffix(name, ".idx")), min(room, maxIndex))
		if err != nil {
			p.complete = false
			continue
		}
		p.list = append(p.list, one)
		room -= len(one.index)
	}
	return p
}

// indexes lists the indexes of packs in a directory, in the order of their names.
func indexes(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".idx") {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// close closes the packs that were read. What was lent of them stays.
func (s *packs) close() {
	for _, p := range s.list {
		if p.file != nil {
			p.file.Close()
			p.file = nil
		}
	}
}

// A pack is an open one.
type pack struct {
	name  string // without .idx and .pack
	index []byte
	count int
	file  *os.File // nil until an object is read
	size  int64
}

const (
	fanOut    = 8                // where an index counts names by their first byte
	names     = fanOut + 256*4   // where its names begin
	entrySize = hashSize + 4 + 4 // of a name, its sum and its offset
	trailer   = 2 * hashSize     // the sums of the pack and of the index
)

// openPack opens a pack whose index has at most room bytes.
func openPack(name string, room int) (*pack, error) {
	info, err := os.Stat(name + ".idx")
	if err != nil || !info.Mode().IsRegular() || info.Size() > int64(room) {
		return nil, errors.Join(err, errPack)
	}
	f, err := os.Open(name + ".idx")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var head [names]byte
	if _, err := io.ReadFull(f, head[:]); err != nil || string(head[:fanOut]) != "\xfftOc\x00\x00\x00\x02" {
		return nil, errPack
	}
	p := &pack{name: name, count: int(binary.BigEndian.Uint32(head[names-4:]))}
	// What is beyond the tables that are as long as the count says are offsets of 8 bytes. All is
	// compared before there is room made for it: a file may be large on no disk.
	far := info.Size() - names - int64(p.count)*entrySize - trailer
	if far < 0 || far%8 != 0 || far/8 > int64(p.count) {
		return nil, errPack
	}
	p.index = make([]byte, info.Size())
	copy(p.index, head[:])
	if _, err := io.ReadFull(f, p.index[names:]); err != nil {
		return nil, err
	}
	if far > 0 && p.farOffsets() != int(far/8) {
		return nil, errPack
	}
	return p, nil
}

// farOffsets counts the objects whose offsets are in the table of those beyond 2 GB.
func (p *pack) farOffsets() (n int) {
	offsets := p.index[names+p.count*(hashSize+4):]
	for i := range p.count {
		n += int(offsets[i*4] >> 7)
	}
	return n
}

// find returns the object's offset.
func (p *pack) find(h []byte) (int64, bool) {
	from, to := 0, int(binary.BigEndian.Uint32(p.index[fanOut+int(h[0])*4:]))
	if h[0] > 0 {
		from = int(binary.BigEndian.Uint32(p.index[fanOut+int(h[0])*4-4:]))
	}
	if to > p.count {
		return 0, false
	}
	for from < to {
		middle := (from + to) / 2
		switch bytes.Compare(p.index[names+middle*hashSize:][:hashSize], h) {
		case 0:
			return p.offset(middle)
		case -1:
			from = middle + 1
		default:
			to = middle
		}
	}
	return 0, false
}

// offset is that of object i. Those beyond 2 GB are in a table of their own.
func (p *pack) offset(i int) (int64, bool) {
	offsets := names + p.count*(hashSize+4)
	n := binary.BigEndian.Uint32(p.index[offsets+i*4:])
	if n>>31 == 0 {
		return int64(n), true
	}
	far := offsets + p.count*4 + int(n&^(1<<31))*8
	if far < 0 || far+8 > len(p.index)-trailer {
		return 0, false
	}
	return int64(binary.BigEndian.Uint64(p.index[far:]) & (1<<63 - 1)), true
}

func (p *pack) open() error {
	if p.file != nil {
		return nil
	}
	f, err := os.Open(p.name + ".pack")
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return err
	}
	p.file, p.size = f, info.Size()
	return nil
}

// has returns the pack of an object, and where it is there.
func (s *packs) has(h plumbing.Hash) (at place, ok bool) {
	name := h.Bytes()
	if len(name) != hashSize {
		return place{}, false
	}
	for i, p := range s.list {
		if offset, ok := p.find(name); ok {
			s.list[0], s.list[i] = p, s.list[0] // the next is likely there, too
			return place{p, offset}, true
		}
	}
	return place{}, false
}

// read returns an object's kind and bytes, which are lent.
func (s *packs) read(at place) (plumbing.ObjectType, []byte, error) {
	var deltas [][]byte // the last is that of the object that is no delta itself
	var places []place
	room := int64(maxObject) // for deltas, and what they are of
	var kind plumbing.ObjectType
	var body []byte
	var mark place // one that was seen: who goes round in a circle comes by it again
	for {
		if b, ok := s.objects.get(at); ok {
			kind, body = plumbing.ObjectType(b[0]), b[1:]
			break
		}
		t, b, base, err := s.entry(at, room)
		if err != nil {
			return 0, nil, err
		}
		if base == (place{}) {
			kind, body = t, b[1:]
			s.keep(kind, b, at)
			break
		}
		deltas, places = append(deltas, b[1:]), append(places, at)
		room -= int64(len(b))
		if base == mark || len(deltas) > maxChain {
			return 0, nil, errPack
		}
		if n := len(deltas); n&(n-1) == 0 {
			mark = base // further on each time, so that the way to the circle may be long
		}
		at = base
	}
	for i := len(deltas) - 1; i >= 0; i-- {
		b, err := applyDelta(body, deltas[i])
		if err != nil {
			return 0, nil, err
		}
		s.keep(kind, b, places[i])
		body = b[1:]
	}
	return kind, body[:len(body):len(body)], nil
}

// keep keeps an object, of which b has a byte of room and the contents, unless it is large.
func (s *packs) keep(kind plumbing.ObjectType, b []byte, at place) {
	b[0] = byte(kind)
	if len(b) <= keptBases/8 {
		s.objects.put(at, b)
	}
}

// maxRatio is how many bytes one byte of zlib's can become at most.
const maxRatio = 1032

// entry reads what is at a place: a byte of room, and an object's contents, or a delta and the
// place of what it is a delta of, if that has at most room bytes.
func (s *packs) entry(at place, room int64) (t plumbing.ObjectType, b []byte, base place, err error) {
	if err := at.pack.open(); err != nil {
		return 0, nil, base, err
	}
	const longest = 6 + 20 // of a size, and the name of a base
	head, err := s.bytes(at, longest)
	if err != nil {
		return 0, nil, base, err
	}
	kind, size, n := sizeOf(head)
	if n == 0 {
		return 0, nil, base, errPack
	}
	switch kind {
	case ofsDelta:
		back, m := backOf(head[n:])
		if m == 0 || back <= 0 || back >= at.offset {
			return 0, nil, base, errPack
		}
		n += m
		base = place{at.pack, at.offset - back}
	case refDelta:
		if len(head) < n+hashSize {
			return 0, nil, base, errPack
		}
		offset, ok := at.pack.find(head[n:][:hashSize])
		if !ok {
			return 0, nil, base, errPack
		}
		n += hashSize
		base = place{at.pack, offset}
	case byte(plumbing.CommitObject), byte(plumbing.TreeObject), byte(plumbing.BlobObject), byte(plumbing.TagObject):
	default:
		return 0, nil, base, errPack
	}
	at.offset += int64(n)
	// Nothing is made room for that the rest of the pack can't become.
	if size > room || size/maxRatio > at.pack.size-at.offset {
		return 0, nil, base, fmt.Errorf("an object of %d bytes is too much", size)
	}
	b, err = s.inflated(at, size)
	return plumbing.ObjectType(kind), b, base, err
}

// sizeOf reads the kind and the size that an entry of a pack begins with. n is how long they are,
// or 0 if they are malformed: https://git-scm.com/docs/pack-format#_size_encoding.
func sizeOf(b []byte) (kind byte, size int64, n int) {
	for shift := 0; n < len(b) && shift <= 32; n++ {
		if n == 0 {
			kind, size, shift = b[0]>>4&7, int64(b[0]&15), 4
		} else {
			size |= int64(b[n]&0x7f) << shift
			shift += 7
		}
		if b[n]&0x80 == 0 {
			return kind, size, n + 1
		}
	}
	return 0, 0, 0
}

// backOf reads how far before an entry the one is that it is a delta of. n is how long that is, or
// 0 if it is malformed.
func backOf(b []byte) (back int64, n int) {
	back = -1
	for n < len(b) && back <= 1<<48 {
		back = (back+1)<<7 | int64(b[n]&0x7f)
		n++
		if b[n-1]&0x80 == 0 {
			return back, n
		}
	}
	return 0, 0
}

// inflated returns a byte of room, and the size bytes that are compressed at a place.
func (s *packs) inflated(at place, size int64) ([]byte, error) {
	b := make([]byte, 1+size)
	// How long they are compressed nobody says. Texts become half as long at least. What is much
	// longer than it was is not read, so that the memory for it is bounded.
	most := min(size+size/8+64<<10, at.pack.size-at.offset)
	for want := size/2 + 512; ; {
		src, err := s.bytes(at, want)
		if err != nil {
			return nil, err
		}
		n, err := s.inflate.Decode(b[1:], src)
		if err == inflate.ErrShort && int64(len(src)) < most {
			want = min(2*int64(len(src)), most)
			continue
		}
		if err == nil && int64(n) < size {
			err = errPack
		}
		return b, err
	}
}

// bytes returns what a pack has from a place on: n bytes at least, but where it ends before. They
// are lent.
func (s *packs) bytes(at place, n int64) ([]byte, error) {
	within := at.offset % blockSize
	at.offset -= within
	b, err := s.block(at)
	if err != nil || within >= int64(len(b)) {
		return nil, errors.Join(err, errPack)
	}
	b = b[within:]
	if int64(len(b)) >= n {
		return b, nil
	}
	for all := make([]byte, 0, min(n+blockSize, at.pack.size-at.offset-within)); ; {
		all = append(all, b...)
		at.offset += blockSize
		if int64(len(all)) >= n || at.offset >= at.pack.size {
			return all, nil
		}
		if b, err = s.block(at); err != nil {
			return nil, err
		}
	}
}

// block returns the block of a pack that begins at a place.
func (s *packs) block(at place) ([]byte, error) {
	if b, ok := s.blocks.get(at); ok {
		return b, nil
	}
	b := make([]byte, min(blockSize, max(0, at.pack.size-at.offset)))
	if _, err := at.pack.file.ReadAt(b, at.offset); err != nil {
		return nil, err
	}
	s.blocks.put(at, b)
	return b, nil
}
