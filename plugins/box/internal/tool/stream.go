package tool

import "io"

// A CountingReader counts the bytes that are read from R.
type CountingReader struct {
	R io.Reader
	N int64
}

func (c *CountingReader) Read(p []byte) (int, error) {
	n, err := c.R.Read(p)
	c.N += int64(n)
	return n, err
}

// A CountingWriter counts the bytes that are written to W.
type CountingWriter struct {
	W io.Writer
	N int64
}

func (c *CountingWriter) Write(p []byte) (int, error) {
	n, err := c.W.Write(p)
	c.N += int64(n)
	return n, err
}

// A WriteError is one of an output, where those of an input come the same way.
type WriteError struct{ Err error }

func (w WriteError) Error() string { return w.Err.Error() }

func (w WriteError) Unwrap() error { return w.Err }

// MarkWrites returns w with its errors as a [WriteError].
func MarkWrites(w io.Writer) io.Writer { return markedWriter{w} }

type markedWriter struct{ w io.Writer }

func (m markedWriter) Write(p []byte) (int, error) {
	n, err := m.w.Write(p)
	if err != nil {
		err = WriteError{err}
	}
	return n, err
}
