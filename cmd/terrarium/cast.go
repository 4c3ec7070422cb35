package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/terrarium-dev/terrarium/core/text"
)

// A castFile is a recording of a terminal as asciinema plays it, asciicast v2:
// https://docs.asciinema.org/manual/asciicast/v2/. Nothing runs at the terminal
// for it. It may show secrets, so nobody but its owner may read it.
type castFile struct {
	mu     sync.Mutex // guards what follows
	file   *os.File
	buf    *bufio.Writer // keeps the first error
	began  time.Time
	repair text.Repairer
}

// castHeader is the first line of a cast.
type castHeader struct {
	Version   int               `json:"version"`
	Width     int               `json:"width"`
	Height    int               `json:"height"`
	Timestamp int64             `json:"timestamp"`
	Title     string            `json:"title,omitempty"`
	Env       map[string]string `json:"env"`
}

// createCast returns nil for an empty name.
func createCast(name, title string, cols, rows int) (*castFile, error) {
	if name == "" {
		return nil, nil
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	c := &castFile{file: f, buf: bufio.NewWriterSize(f, 64<<10), began: time.Now()}
	c.line(castHeader{2, cols, rows, c.began.Unix(), title, map[string]string{"TERM": "xterm-256color"}})
	return c, nil
}

// output records what the terminal was sent just now. A character that is not
// whole comes with its rest.
func (c *castFile) output(p []byte) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(p) > 0 {
		var valid []byte
		if valid, p = c.repair.Next(p); len(valid) > 0 {
			c.event("o", string(valid))
		}
	}
}

// mark records that something begins, for players to jump to.
func (c *castFile) mark(label string) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.event("m", label)
}

func (c *castFile) event(code, data string) { c.line([]any{time.Since(c.began).Seconds(), code, data}) }

// line writes v, which is always something that JSON can say.
func (c *castFile) line(v any) {
	e := json.NewEncoder(c.buf)
	e.SetEscapeHTML(false)
	e.Encode(v)
}

// close writes what is left. A recording that could not be written whole is
// worth a warning, and no more. It does nothing on nil.
func (c *castFile) close() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if valid := c.repair.Flush(); len(valid) > 0 {
		c.event("o", string(valid))
	}
	err := c.buf.Flush()
	if closeErr := c.file.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		warn(os.Stderr, fmt.Errorf("record: %w: its end is missing", err))
	}
}
