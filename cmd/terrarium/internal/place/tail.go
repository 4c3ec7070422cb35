package place

import (
	"bufio"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/printable"
)

// A tail keeps the last lines that a program has said.
type tail struct {
	done chan struct{} // closed when nothing more comes

	mu   sync.Mutex
	kept []string
}

const (
	maxLines = 12
	maxLine  = 400 // bytes of a line that are kept
	// tailLimit is how long the last words of a program that has ended may take to come.
	tailLimit = 200 * time.Millisecond
)

func newTail() *tail { return &tail{done: make(chan struct{})} }

// read reads until the end.
func (t *tail) read(f *os.File) {
	defer close(t.done)
	defer f.Close()
	r := bufio.NewReaderSize(f, maxLine)
	inLine := false // what comes is the rest of a line that is longer than what is kept
	for {
		line, err := r.ReadSlice('\n')
		if text := strings.TrimSpace(string(line)); text != "" && !inLine {
			t.add(printable.Text(text))
		}
		inLine = err == bufio.ErrBufferFull
		if err != nil && !inLine {
			return
		}
	}
}

func (t *tail) add(line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.kept = append(t.kept, line); len(t.kept) > maxLines {
		t.kept = append(t.kept[:0], t.kept[1:]...)
	}
}

// finish returns when all that the program itself has said was read from f.
func (t *tail) finish(f *os.File) {
	f.SetReadDeadline(time.Now().Add(tailLimit))
	<-t.done
}

// lines returns what is kept, fit to be shown.
func (t *tail) lines() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]string(nil), t.kept...)
}
