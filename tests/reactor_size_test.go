package tests

import (
	"bytes"
	"compress/gzip"
	"io"
	"testing"

	"github.com/andybalholm/brotli"

	"github.com/terrarium-dev/terrarium/tests/reactor"
)

// maxReactor is how much of the reactor a browser may have to download, in bytes.
const maxReactor = 600_000

func TestReactorSize(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the reactor and compresses it as hard as it can, which takes ten seconds")
	}
	wasm := reactor.Module(t)
	zipped := compressed(t, wasm, func(w io.Writer) io.WriteCloser {
		z, _ := gzip.NewWriterLevel(w, gzip.BestCompression)
		return z
	})
	brotlied := compressed(t, wasm, func(w io.Writer) io.WriteCloser {
		return brotli.NewWriterLevel(w, brotli.BestCompression)
	})
	t.Logf("reactor: %d bytes, gzip -9 %d, brotli -q 11 %d", len(wasm), zipped, brotlied)
	if brotlied > maxReactor {
		t.Errorf("got %d bytes after brotli, want at most %d", brotlied, maxReactor)
	}
}

// compressed returns the size of p, in bytes, after the compressor.
func compressed(t *testing.T, p []byte, compressor func(io.Writer) io.WriteCloser) int {
	t.Helper()
	var b bytes.Buffer
	w := compressor(&b)
	if _, err := w.Write(p); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Len()
}
