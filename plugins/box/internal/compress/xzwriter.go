package compress

import (
	"encoding/binary"
	"hash"
	"hash/crc32"
	"hash/crc64"
	"io"

	"github.com/ulikunitz/xz/lzma"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// xzDictionaries are the sizes that the levels of xz look back, as the container numbers them: 256
// KiB to 8 MiB. More costs more memory than a sandbox likes to give.
var xzDictionaries = [10]byte{12, 16, 18, 20, 20, 22, 22, 22, 22, 22}

// dictionarySize is what such a number stands for, in bytes.
func dictionarySize(bits byte) int64 { return int64(2|bits&1) << (bits/2 + 11) }

// xzFlags are a stream's: it is checked by CRC-64.
var xzFlags = []byte{0, 4}

// xzWriter writes one stream of one block.
type xzWriter struct {
	out   *tool.CountingWriter
	data  *lzma.Writer2
	check hash.Hash64
	size  uint64
	start int64 // where the block begins
}

func newXZWriter(w io.Writer, level int) (io.WriteCloser, error) {
	x := &xzWriter{out: &tool.CountingWriter{W: w}, check: crc64.New(ecma())}
	head := append([]byte(xzMagic), xzFlags...)
	head = binary.LittleEndian.AppendUint32(head, crc32.ChecksumIEEE(xzFlags))
	x.start = int64(len(head))
	// A block's header: its size in words less one, no sizes of the block, and one filter, LZMA2,
	// with its dictionary.
	bits := xzDictionaries[level]
	block := []byte{2, 0, 0x21, 1, bits, 0, 0, 0}
	block = binary.LittleEndian.AppendUint32(block, crc32.ChecksumIEEE(block))
	if _, err := x.out.Write(append(head, block...)); err != nil {
		return nil, err
	}
	data, err := lzma.Writer2Config{DictCap: int(dictionarySize(bits))}.NewWriter2(x.out)
	x.data = data
	return x, err
}

func (x *xzWriter) Write(p []byte) (int, error) {
	n, err := x.data.Write(p)
	x.size += uint64(n)
	x.check.Write(p[:n])
	return n, err
}

// Close ends the block and writes the index and the footer.
func (x *xzWriter) Close() error {
	if err := x.data.Close(); err != nil {
		return err
	}
	unpadded := uint64(x.out.N-x.start) + uint64(x.check.Size())
	tail := pad(nil, x.out.N)
	tail = binary.LittleEndian.AppendUint64(tail, x.check.Sum64())
	index := []byte{0, 1} // its mark, and the number of blocks
	index = binary.AppendUvarint(index, unpadded)
	index = binary.AppendUvarint(index, x.size)
	index = pad(index, int64(len(index)))
	index = binary.LittleEndian.AppendUint32(index, crc32.ChecksumIEEE(index))
	footer := binary.LittleEndian.AppendUint32(nil, uint32(len(index)/4-1))
	footer = append(footer, xzFlags...)
	tail = append(tail, index...)
	tail = binary.LittleEndian.AppendUint32(tail, crc32.ChecksumIEEE(footer))
	tail = append(append(tail, footer...), xzFooterMagic...)
	_, err := x.out.Write(tail)
	return err
}

// pad appends the zeros that fill up n bytes to a multiple of four.
func pad(p []byte, n int64) []byte {
	for ; n%4 != 0; n++ {
		p = append(p, 0)
	}
	return p
}
