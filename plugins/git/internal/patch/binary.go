package patch

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v6/plumbing/format/packfile"
)

// A Binary is the new contents of a file that is no text: as they are, or as a delta from the old
// ones.
type Binary struct {
	Delta bool
	data  []byte // inflated
}

// literals reads the two parts of "GIT binary patch": how to get there, and back.
func (p *parser) literals(f *File) error {
	for i := range f.Literal {
		b, err := p.literal()
		if err != nil {
			return err
		}
		if b == nil && i == 0 {
			return fmt.Errorf("unrecognized binary patch at line %d", p.line)
		}
		f.Literal[i] = b
	}
	return nil
}

func (p *parser) literal() (*Binary, error) {
	kind, number, _ := strings.Cut(strings.TrimSpace(string(p.peek(0))), " ")
	if kind != "literal" && kind != "delta" {
		return nil, nil
	}
	size, err := strconv.Atoi(number)
	if err != nil || size < 0 || size > MaxSize {
		return nil, p.corruptBinary()
	}
	p.skip()
	var packed []byte
	for len(p.rest) > 0 {
		line := bytes.TrimRight(p.peek(0), "\r\n")
		if len(line) == 0 {
			p.skip()
			break
		}
		b, err := decode85(line)
		if err != nil {
			return nil, p.corruptBinary()
		}
		packed = append(packed, b...)
		p.skip()
	}
	z, err := zlib.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, p.corruptBinary()
	}
	data, err := io.ReadAll(io.LimitReader(z, int64(size)+1))
	if err != nil || len(data) != size {
		return nil, p.corruptBinary()
	}
	return &Binary{kind == "delta", data}, nil
}

func (p *parser) corruptBinary() error {
	return fmt.Errorf("corrupt binary patch at line %d: %s", p.line, bytes.TrimRight(p.peek(0), "\n"))
}

const digits85 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"

// decode85 reads one line: a letter for the count of bytes, A-Z for 1-26 and a-z for 27-52, and
// five digits for every four of them.
func decode85(line []byte) ([]byte, error) {
	bad := errors.New("bad line")
	n := 0
	switch c := line[0]; {
	case 'A' <= c && c <= 'Z':
		n = int(c-'A') + 1
	case 'a' <= c && c <= 'z':
		n = int(c-'a') + 27
	}
	line = line[1:]
	if n == 0 || len(line) != (n+3)/4*5 {
		return nil, bad
	}
	var out []byte
	for ; len(line) > 0; line = line[5:] {
		acc := uint64(0)
		for _, c := range line[:5] {
			d := strings.IndexByte(digits85, c)
			if d < 0 {
				return nil, bad
			}
			acc = acc*85 + uint64(d)
		}
		if acc > 1<<32-1 {
			return nil, bad
		}
		out = append(out, byte(acc>>24), byte(acc>>16), byte(acc>>8), byte(acc))
	}
	return out[:n], nil
}

// Encode85 writes contents as "GIT binary patch" has them.
func Encode85(w io.Writer, contents []byte) error {
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	if _, err := z.Write(contents); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	fmt.Fprintf(w, "literal %d\n", len(contents))
	for rest := packed.Bytes(); len(rest) > 0; {
		n := min(len(rest), 52)
		part := rest[:n]
		rest = rest[n:]
		count := byte('A' + n - 1)
		if n > 26 {
			count = byte('a' + n - 27)
		}
		line := []byte{count}
		for len(part) > 0 {
			var acc uint32
			for i := range 4 {
				acc <<= 8
				if i < len(part) {
					acc |= uint32(part[i])
				}
			}
			part = part[min(4, len(part)):]
			var five [5]byte
			for i := 4; i >= 0; i-- {
				five[i] = digits85[acc%85]
				acc /= 85
			}
			line = append(line, five[:]...)
		}
		fmt.Fprintf(w, "%s\n", line)
	}
	_, err := fmt.Fprintln(w)
	return err
}

// Contents returns what the old contents become.
func (b *Binary) Contents(old []byte) ([]byte, error) {
	if !b.Delta {
		return b.data, nil
	}
	_, n := binary.Uvarint(b.data) // of the old contents; git's numbers are as Go's
	if size, m := binary.Uvarint(b.data[max(n, 0):]); n <= 0 || m <= 0 || size > MaxSize {
		return nil, errors.New("bad delta")
	}
	return packfile.PatchDelta(old, b.data)
}
