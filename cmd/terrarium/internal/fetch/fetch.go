package fetch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/index"
)

// Get writes the download of an entry of x to w, all of it, and only where it
// has the size and the sum that the entry says is the error nil. progress, if
// not nil, is told how many bytes have come, from the goroutine that called Get.
func Get(ctx context.Context, x *index.Index, e *index.Entry, w io.Writer, progress func(n int64)) error {
	r, err := source(ctx, x, e)
	if err != nil {
		return err
	}
	defer r.Close()
	sum := sha256.New()
	n, err := copyAll(io.MultiWriter(w, sum), io.LimitReader(r, e.Size+1), progress)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), err == nil && n < e.Size:
		return fmt.Errorf("%s: cut off: %d bytes of %d have come", e.Source, n, e.Size)
	case err != nil:
		return fmt.Errorf("%s: %w", e.Source, err)
	case n > e.Size:
		return fmt.Errorf("%s: more than the %d bytes that the index says", e.Source, e.Size)
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != e.SHA256 {
		return fmt.Errorf("%s: not what the index says: its sha256 is %s, want %s", e.Source, got, e.SHA256)
	}
	return nil
}

// source opens where an entry's download is.
func source(ctx context.Context, x *index.Index, e *index.Entry) (io.ReadCloser, error) {
	s := e.From()
	switch s.Scheme {
	case index.NPM:
		config, err := readNPMConfig()
		if err != nil {
			return nil, err
		}
		u, token, err := config.tarball(s)
		if err != nil {
			return nil, err
		}
		header := make(http.Header)
		if token != "" {
			header.Set("Authorization", "Bearer "+token)
		}
		return open(ctx, u, header)
	case index.HTTPS:
		return open(ctx, s.URL, make(http.Header))
	case index.OCI:
		return openLayer(ctx, e)
	}
	name := filepath.FromSlash(s.Path)
	if !filepath.IsAbs(name) {
		name = filepath.Join(x.Dir, name)
	}
	info, err := os.Stat(name) // first: to open a FIFO would wait for a writer
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file", e.Source)
	}
	return os.Open(name)
}

// copyAll is io.Copy with progress. What ends the writer is told apart from what
// ends the reader: it has a path of ours in it.
func copyAll(w io.Writer, r io.Reader, progress func(int64)) (n int64, err error) {
	buf := make([]byte, 64<<10)
	for {
		k, err := r.Read(buf)
		if k > 0 {
			if _, err := w.Write(buf[:k]); err != nil {
				return n, err
			}
			n += int64(k)
			if progress != nil {
				progress(n)
			}
		}
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}
