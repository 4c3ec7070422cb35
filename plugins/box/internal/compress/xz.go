package compress

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"hash/crc32"
	"hash/crc64"
	"io"
	"slices"
	"sync"

	"github.com/ulikunitz/xz/lzma"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// The container is read here, because the library would take as much memory for the dictionary as a
// file asks for, up to 4 GiB, and has no names for what is wrong.
// https://tukaani.org/xz/xz-file-format.txt

const (
	xzMagic       = "\xfd7zXZ\x00"
	xzFooterMagic = "YZ"
	xzHeaderSize  = 12

	// maxXZDictionary is what xz -9 uses.
	maxXZDictionary = 64 << 20
)

// xzReader reads stream after stream, and checks everything that the container says of them.
type xzReader struct {
	in      *bufio.Reader
	r       *tool.CountingReader // of in
	sum     uint32               // CRC-32 of what readFull read since it was last set to 0
	flags   [2]byte
	newHash func() hash.Hash
	block   *xzBlock
	index   hash.Hash // over the sizes of the blocks, as the index has to repeat them
	blocks  uint64

	streams, total uint64   // streams and blocks so far
	checks         []string // the kinds of check, each once
}

// An xzBlock is the one that is being read.
type xzBlock struct {
	data               io.Reader
	check              hash.Hash
	start              int64 // where the block begins
	dataStart          int64
	size               int64 // of the data so far
	wantSize, wantData int64 // as the header says; -1 if it doesn't
}

func newXZReader(r *bufio.Reader) (*xzReader, error) {
	x := &xzReader{in: r, r: &tool.CountingReader{R: r}}
	if head, err := r.Peek(len(xzMagic)); !bytes.Equal(head, []byte(xzMagic)) {
		if err != nil && err != io.EOF {
			return nil, err
		}
		return nil, ErrFormat
	}
	return x, x.startStream()
}

// startStream reads a stream's header.
func (x *xzReader) startStream() error {
	var head [xzHeaderSize]byte
	if err := x.readFull(head[:]); err != nil {
		return err
	}
	switch {
	case string(head[:6]) != xzMagic, crc32.ChecksumIEEE(head[6:8]) != binary.LittleEndian.Uint32(head[8:]):
		return ErrCorrupt
	case head[6] != 0 || head[7] > 15:
		return ErrOptions
	}
	x.flags = [2]byte(head[6:8])
	switch x.flags[1] {
	case 0:
		x.newHash = func() hash.Hash { return nil }
	case 1:
		x.newHash = func() hash.Hash { return crc32.NewIEEE() }
	case 4:
		x.newHash = func() hash.Hash { return crc64.New(ecma()) }
	case 10:
		x.newHash = sha256.New
	default:
		return ErrOptions
	}
	x.index, x.blocks = sha256.New(), 0
	x.streams++
	if name := xzChecks[x.flags[1]]; !slices.Contains(x.checks, name) {
		x.checks = append(x.checks, name)
	}
	return nil
}

var xzChecks = map[byte]string{0: "None", 1: "CRC32", 4: "CRC64", 10: "SHA-256"}

// ecma is made when it is used: every command of the box begins with what packages make at once.
var ecma = sync.OnceValue(func() *crc64.Table { return crc64.MakeTable(crc64.ECMA) })

func (x *xzReader) Read(p []byte) (int, error) {
	for {
		if x.block == nil {
			if err := x.next(); err != nil {
				return 0, err
			}
			continue
		}
		n, err := x.block.read(p)
		if err == io.EOF {
			err = x.endBlock()
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
}

// next starts the next block or the next stream, or returns io.EOF.
func (x *xzReader) next() error {
	x.sum = 0
	start := x.r.N
	size, err := x.readByte()
	if err != nil {
		return err
	}
	if size != 0 {
		return x.startBlock(start, size)
	}
	if err := x.endStream(start); err != nil {
		return err
	}
	for {
		head, err := x.in.Peek(4)
		switch {
		case len(head) == 0:
			return err
		case len(head) < 4:
			return io.ErrUnexpectedEOF
		case binary.LittleEndian.Uint32(head) == 0: // padding
			x.in.Discard(4)
			continue
		}
		return x.startStream()
	}
}

// startBlock reads a block's header, whose first byte, its size in words, is size.
func (x *xzReader) startBlock(start int64, size byte) error {
	head := make([]byte, int(size)*4+3) // without the first byte
	if err := x.readFull(head); err != nil {
		return err
	}
	body, sum := head[:len(head)-4], binary.LittleEndian.Uint32(head[len(head)-4:])
	if crc32.Update(crc32.ChecksumIEEE([]byte{size}), crc32.IEEETable, body) != sum {
		return ErrCorrupt
	}
	flags := body[0]
	if flags&0x3f != 0 { // more filters than LZMA2 alone, or flags that there are none of
		return ErrOptions
	}
	in := bytes.NewReader(body[1:])
	b := &xzBlock{start: start, wantSize: -1, wantData: -1, check: x.newHash()}
	var err error
	if flags&0x40 != 0 {
		if b.wantData, err = readSize(in); err != nil {
			return err
		}
	}
	if flags&0x80 != 0 {
		if b.wantSize, err = readSize(in); err != nil {
			return err
		}
	}
	dictionary, err := readFilter(in)
	if err != nil {
		return err
	}
	b.dataStart = x.r.N
	b.data, err = lzma.Reader2Config{DictCap: dictionary}.NewReader2(x.r)
	if err != nil {
		return ErrCorrupt
	}
	x.block = b
	return nil
}

// readFilter reads the description of the one filter that is known, LZMA2, and returns the size of
// its dictionary.
func readFilter(in *bytes.Reader) (int, error) {
	id, err := readSize(in)
	if err != nil {
		return 0, err
	}
	size, err := readSize(in)
	if err != nil {
		return 0, err
	}
	bits, err := in.ReadByte()
	if id != 0x21 || size != 1 || err != nil || bits > 40 {
		return 0, ErrOptions
	}
	for {
		pad, err := in.ReadByte()
		if err == io.EOF {
			break
		}
		if pad != 0 {
			return 0, ErrOptions
		}
	}
	dictionary := dictionarySize(bits)
	if bits == 40 || dictionary > maxXZDictionary {
		return 0, ErrMemory
	}
	return int(dictionary), nil
}

func (b *xzBlock) read(p []byte) (int, error) {
	n, err := b.data.Read(p)
	b.size += int64(n)
	if b.check != nil {
		b.check.Write(p[:n])
	}
	switch {
	case err == nil, err == io.EOF:
	case err == io.ErrUnexpectedEOF:
	default:
		err = ErrCorrupt
	}
	if b.wantSize >= 0 && b.size > b.wantSize {
		return 0, ErrCorrupt
	}
	return n, err
}

// endBlock reads what is behind a block's data and compares it with what was read.
func (x *xzReader) endBlock() error {
	b := x.block
	x.block = nil
	data := x.r.N - b.dataStart
	if b.wantSize >= 0 && b.size != b.wantSize || b.wantData >= 0 && data != b.wantData {
		return ErrCorrupt
	}
	unpadded := x.r.N - b.start
	if err := x.padding(data); err != nil {
		return err
	}
	// A check of four kinds, but all have a size that the kind gives.
	check := make([]byte, [16]int{0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64}[x.flags[1]])
	if err := x.readFull(check); err != nil {
		return err
	}
	if b.check != nil {
		sum := b.check.Sum(nil)
		if x.flags[1] != 10 { // the others are numbers, the lowest byte first
			for i, j := 0, len(sum)-1; i < j; i, j = i+1, j-1 {
				sum[i], sum[j] = sum[j], sum[i]
			}
		}
		if !bytes.Equal(sum, check) {
			return ErrCorrupt
		}
	}
	x.blocks++
	x.total++
	x.record(uint64(unpadded)+uint64(len(check)), uint64(b.size))
	return nil
}

func (x *xzReader) record(unpadded, size uint64) {
	x.index.Write(binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, unpadded), size))
}

// endStream reads the index and the footer, and compares them with the blocks that were read.
func (x *xzReader) endStream(start int64) error {
	n, err := x.readSize()
	if err != nil {
		return err
	}
	if uint64(n) != x.blocks {
		return ErrCorrupt
	}
	blocks := x.index.Sum(nil)
	x.index = sha256.New()
	for range n {
		unpadded, err := x.readSize()
		if err != nil {
			return err
		}
		size, err := x.readSize()
		if err != nil {
			return err
		}
		x.record(uint64(unpadded), uint64(size))
	}
	if !bytes.Equal(blocks, x.index.Sum(nil)) {
		return ErrCorrupt
	}
	if err := x.padding(x.r.N - start); err != nil {
		return err
	}
	want := x.sum
	var tail [4 + xzHeaderSize]byte // the footer is as long as the header
	if err := x.readFull(tail[:]); err != nil {
		return err
	}
	sum, footer := binary.LittleEndian.Uint32(tail[:]), tail[4:]
	indexSize := (int64(binary.LittleEndian.Uint32(footer[4:])) + 1) * 4
	if sum != want || crc32.ChecksumIEEE(footer[4:10]) != binary.LittleEndian.Uint32(footer) ||
		string(footer[10:]) != xzFooterMagic || [2]byte(footer[8:10]) != x.flags || indexSize != x.r.N-start-xzHeaderSize {
		return ErrCorrupt
	}
	return nil
}

// padding reads the zeros that fill up n bytes to a multiple of four.
func (x *xzReader) padding(n int64) error {
	for ; n%4 != 0; n++ {
		c, err := x.readByte()
		if err != nil {
			return err
		}
		if c != 0 {
			return ErrCorrupt
		}
	}
	return nil
}

func (x *xzReader) readFull(p []byte) error {
	n, err := io.ReadFull(x.r, p)
	x.sum = crc32.Update(x.sum, crc32.IEEETable, p[:n])
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// readByte reads one byte that counts for the sum.
func (x *xzReader) readByte() (byte, error) {
	var p [1]byte
	err := x.readFull(p[:])
	return p[0], err
}

type summedBytes struct{ x *xzReader }

func (s summedBytes) ReadByte() (byte, error) { return s.x.readByte() }

func (x *xzReader) readSize() (int64, error) { return readSize(summedBytes{x}) }

// readSize reads a number of up to 63 bits, seven in each byte.
func readSize(r io.ByteReader) (int64, error) {
	n, err := binary.ReadUvarint(r)
	switch {
	case err == io.ErrUnexpectedEOF:
		return 0, err
	case err != nil, n > 1<<63-1:
		return 0, ErrCorrupt
	}
	return int64(n), nil
}
