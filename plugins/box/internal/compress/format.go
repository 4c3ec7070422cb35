package compress

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/flate"
	"compress/gzip"
	"errors"
	"io"
)

// A Format is one way to make data smaller.
type Format int

// The formats. None is data as it is.
const (
	None Format = iota
	Gzip
	Bzip2
	XZ
)

// String returns the name of the program that made the format known.
func (f Format) String() string { return [...]string{"none", "gzip", "bzip2", "xz"}[f] }

// What may be wrong with compressed data, besides io.ErrUnexpectedEOF.
var (
	ErrFormat   = errors.New("format not recognized")
	ErrCorrupt  = errors.New("compressed data is corrupt")
	ErrChecksum = errors.New("checksum does not match")
	ErrTrailing = errors.New("garbage behind the data") // all data was read
	ErrOptions  = errors.New("unsupported options")
	ErrMemory   = errors.New("takes more memory than is allowed")
)

// Detect tells the format from the first bytes of the data; six are enough.
func Detect(head []byte) Format {
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		return Gzip
	case bytes.HasPrefix(head, []byte("BZh")):
		return Bzip2
	case bytes.HasPrefix(head, []byte(xzMagic)):
		return XZ
	}
	return None
}

// NewReader returns a reader of what r holds in format f. It reads the first header.
func NewReader(f Format, r *bufio.Reader) (io.Reader, error) {
	switch f {
	case Gzip:
		return newGzipReader(r)
	case Bzip2:
		return newBzip2Reader(r)
	case XZ:
		return newXZReader(r)
	}
	return r, nil
}

// NewWriter returns a writer that makes what is written to it smaller, which ends at Close. Levels
// are 1 to 9. There is no writer for bzip2.
func NewWriter(f Format, w io.Writer, level int) (io.WriteCloser, error) {
	switch f {
	case Gzip:
		return gzip.NewWriterLevel(w, level)
	case XZ:
		return newXZWriter(w, level)
	case Bzip2:
		return nil, errNoBzip2
	}
	return nopCloser{w}, nil
}

var errNoBzip2 = errors.New("there is no compressor for bzip2 in this sandbox: use gzip or xz")

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// bzip2Reader names the errors of compress/bzip2 as the package does.
type bzip2Reader struct{ r io.Reader }

func newBzip2Reader(r *bufio.Reader) (io.Reader, error) {
	head, err := r.Peek(4)
	if len(head) < 4 || !bytes.HasPrefix(head, []byte("BZh")) || head[3] < '1' || head[3] > '9' {
		if err == nil || err == io.EOF {
			err = ErrFormat
		}
		return nil, err
	}
	return bzip2Reader{bzip2.NewReader(r)}, nil
}

func (b bzip2Reader) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	var structural bzip2.StructuralError
	if errors.As(err, &structural) {
		err = ErrCorrupt
	}
	return n, err
}

// gzipReader reads member after member, as gzip does: zeros behind the last are its padding.
type gzipReader struct {
	r      *bufio.Reader
	member *gzip.Reader
}

func newGzipReader(r *bufio.Reader) (*gzipReader, error) {
	if head, err := r.Peek(2); len(head) == 2 && Detect(head) != Gzip || len(head) < 2 && err == io.EOF {
		if len(head) == 0 {
			return nil, io.ErrUnexpectedEOF
		}
		return nil, ErrFormat
	}
	member, err := gzip.NewReader(r)
	if err != nil {
		return nil, memberError(err)
	}
	member.Multistream(false)
	return &gzipReader{r, member}, nil
}

func (g *gzipReader) Read(p []byte) (int, error) {
	for {
		n, err := g.member.Read(p)
		if n > 0 && err == io.EOF {
			err = nil // the member's end comes again
		}
		if n > 0 || err != io.EOF {
			return n, memberError(err)
		}
		if err := g.next(); err != nil {
			return 0, err
		}
	}
}

// next begins the next member.
func (g *gzipReader) next() error {
	for {
		head, err := g.r.Peek(2)
		switch {
		case len(head) > 0 && head[0] == 0:
			g.r.Discard(1)
			continue
		case len(head) == 0:
			return err
		case Detect(head) != Gzip:
			return ErrTrailing
		}
		err = g.member.Reset(g.r)
		g.member.Multistream(false)
		return memberError(err)
	}
}

func memberError(err error) error {
	var corrupt flate.CorruptInputError
	switch {
	case err == gzip.ErrHeader, errors.As(err, &corrupt):
		return ErrCorrupt
	case err == gzip.ErrChecksum:
		return ErrChecksum
	}
	return err
}
