package place

import (
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// An endless program says the same again and again.
type endless struct {
	read atomic.Int64 // bytes
	most int64        // after which it ends
}

func (e *endless) Read(p []byte) (int, error) {
	if e.read.Load() >= e.most {
		return 0, io.EOF
	}
	n := copy(p, strings.Repeat("spam\n", len(p)/5))
	e.read.Add(int64(n))
	return n, nil
}

func (e *endless) Close() error { return nil }

// Who says more than is told is read slowly, but not when it is to end.
func TestReadSlowly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const while = 10
		from := &endless{most: 64 << 20}
		said := newTail()
		go said.read(from)
		time.Sleep(while * time.Second)
		synctest.Wait()
		got, least, most := from.read.Load(), int64(readAtOnce), int64(readAtOnce+while*readRate+readSize)
		if got < least || got > most {
			t.Errorf("got %d bytes read in %d s, want %d to %d", got, while, least, most)
		}
		began := time.Now()
		said.quit()
		<-said.done
		if waited := time.Since(began); waited > 0 {
			t.Errorf("it has ended %v later, want at once", waited)
		}
		if got := from.read.Load(); got < from.most {
			t.Errorf("got %d bytes read, want all %d at its end", got, from.most)
		}
	})
}
