package tests

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"testing"

	"github.com/andybalholm/brotli"

	"github.com/terrarium-dev/terrarium/tests/reactor"
)

// maxReactor is how much of the reactor a browser may have to download, in bytes.
const maxReactor = 600_000

// TestReactorSize looks first at what gzip leaves, which takes a tenth of the time. Of the reactor
// brotli leaves 25 % less than that; if 20 % less is little enough, nothing else is tried. Then it
// is compressed less hard: what fits so fits after "brotli -q 11" as well. How large it is after
// that is measured with TERRARIUM_LONG=1 only.
func TestReactorSize(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds the reactor and compresses it, which takes ten seconds")
	}
	wasm := reactor.Module(t)
	zipped := compressed(t, wasm, func(w io.Writer) io.WriteCloser {
		z, _ := gzip.NewWriterLevel(w, gzip.BestCompression)
		return z
	})
	t.Logf("reactor: %d bytes, gzip -9 %d", len(wasm), zipped)
	brotlied, levels := 0, []int{brotli.BestCompression - 1, brotli.BestCompression}
	if os.Getenv("TERRARIUM_LONG") != "" {
		levels = levels[1:]
	} else if zipped/5*4 <= maxReactor {
		return
	}
	for _, level := range levels {
		brotlied = compressed(t, wasm, func(w io.Writer) io.WriteCloser { return brotli.NewWriterLevel(w, level) })
		t.Logf("brotli -q %d %d", level, brotlied)
		if brotlied <= maxReactor {
			return
		}
	}
	t.Errorf("got %d bytes after brotli, want at most %d", brotlied, maxReactor)
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
