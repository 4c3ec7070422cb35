package porcelain

import (
	"io/fs"
	"strings"
	"syscall"
	"testing"
)

// A broken writer is standard output where nobody reads.
type broken struct{ err error }

func (b broken) Write([]byte) (int, error) {
	return 0, &fs.PathError{Op: "write", Path: "/dev/stdout", Err: b.err}
}

// TestBrokenPipe: where nobody reads what git prints it ends as SIGPIPE ends it, without a word.
func TestBrokenPipe(t *testing.T) {
	var stderr strings.Builder
	if status := Main([]string{"--version"}, strings.NewReader(""), broken{syscall.EPIPE}, &stderr); status != 141 || stderr.Len() > 0 {
		t.Errorf("got status %d and %q, want 141 and no word", status, stderr.String())
	}
}
