package repo

import (
	"compress/zlib"
	"io"
)

// maxRatio is how many bytes one byte of zlib's can become at most.
const maxRatio = 1032

// An inflater has the room that zlib wants, for one object after the other.
type inflater struct{ z io.ReadCloser }

// open begins to read what is compressed in in.
func (i *inflater) open(in io.Reader) (err error) {
	if i.z != nil {
		return i.z.(zlib.Resetter).Reset(in, nil)
	}
	i.z, err = zlib.NewReader(in)
	return err
}

// all returns a byte of room, and size bytes, which are all that in has.
func (i *inflater) all(in io.Reader, size int64) ([]byte, error) {
	if err := i.open(in); err != nil {
		return nil, err
	}
	return i.rest(size)
}

// rest is all of what was opened, from where it is.
func (i *inflater) rest(size int64) ([]byte, error) {
	b := make([]byte, 1+size)
	if _, err := io.ReadFull(i.z, b[1:]); err != nil {
		return nil, err
	}
	var more [1]byte
	if n, err := i.z.Read(more[:]); n > 0 || err != io.EOF { // which checks the sum, too
		return nil, errPack
	}
	return b, nil
}
