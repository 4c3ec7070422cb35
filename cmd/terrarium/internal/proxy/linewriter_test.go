package proxy

import (
	"testing"
	"time"
)

// A full writer has something new queued whenever it has written.
type fullWriter struct{ lines *lineWriter }

func (w fullWriter) Write(p []byte) (int, error) {
	w.lines.enqueue([]byte("more\n"))
	return len(p), nil
}

// Who waits until what is queued is written does not wait for what comes meanwhile, without end.
func TestSettle(t *testing.T) {
	w := new(fullWriter)
	l := newLineWriter(w)
	w.lines = l
	l.enqueue([]byte("first\n"))
	settled := make(chan struct{})
	go func() { // ends with the line writer at the latest
		l.settle()
		close(settled)
	}()
	select {
	case <-settled:
	case <-time.After(time.Minute):
		t.Error("it waits for what is queued meanwhile")
	}
	l.close()
}
