package cast

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/terrarium-dev/terrarium/core/text"
)

// A Writer records a terminal. Its methods may be called at the same time, and do nothing on a nil
// Writer.
type Writer struct {
	mu     sync.Mutex    // guards what follows
	buf    *bufio.Writer // keeps the first error
	began  time.Time
	repair text.Repairer
}

// header is the first line of version 2.
type header struct {
	Version   int               `json:"version"`
	Width     int               `json:"width"`
	Height    int               `json:"height"`
	Timestamp int64             `json:"timestamp"`
	Title     string            `json:"title,omitempty"`
	Env       map[string]string `json:"env"`
}

// NewWriter begins a recording on w, now.
func NewWriter(w io.Writer, h Header) *Writer {
	c := &Writer{buf: bufio.NewWriterSize(w, 64<<10), began: time.Now()}
	c.line(header{2, h.Cols, h.Rows, c.began.Unix(), h.Title, map[string]string{"TERM": "xterm-256color"}})
	return c
}

// Output records that the terminal was sent p just now. A character that is not whole comes with
// its rest; what is no UTF-8 becomes U+FFFD. p is not kept.
func (c *Writer) Output(p []byte) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(p) > 0 {
		var valid []byte
		if valid, p = c.repair.Next(p); len(valid) > 0 {
			c.event(Output, string(valid))
		}
	}
}

// Mark records that something begins, for players to jump to.
func (c *Writer) Mark(label string) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.event(Mark, label)
}

// Resize records that the terminal has another size.
func (c *Writer) Resize(cols, rows int) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.event(Resize, fmt.Sprintf("%dx%d", cols, rows))
}

func (c *Writer) event(k Kind, data string) { c.line([]any{time.Since(c.began).Seconds(), k, data}) }

// line writes v, which is always something that JSON can say.
func (c *Writer) line(v any) {
	e := json.NewEncoder(c.buf)
	e.SetEscapeHTML(false)
	e.Encode(v)
}

// Close ends the recording, and returns the first error of all that was written. Nothing may be
// recorded afterwards.
func (c *Writer) Close() error {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if valid := c.repair.Flush(); len(valid) > 0 {
		c.event(Output, string(valid))
	}
	return c.buf.Flush()
}
