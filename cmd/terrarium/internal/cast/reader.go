package cast

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/terrarium-dev/terrarium/core/vt"
)

// Bounds of what a recording may hold: anybody may have written it.
const (
	maxLine  = 16 << 20             // bytes
	maxTime  = 365 * 24 * time.Hour // since it began
	minWidth = 2                    // columns
)

// isHeader matches what a recording begins with: an object on one line, with a version.
var isHeader = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\A\{[^\n]*"version"\s*:`) })

// ErrNoRecording says that what was read is no recording at all, but may be what a terminal was
// sent.
var ErrNoRecording = errors.New("no recording: its first line is no header of asciicast")

// A Reader reads a recording. It is not safe for concurrent use.
type Reader struct {
	lines   *bufio.Reader
	header  Header
	version int
	line    int // that was read last, from 1
	at      time.Duration
}

// NewReader reads the header of a recording. The error is ErrNoRecording, and nothing has been
// taken from r, if there is none; else it says what is wrong with it.
func NewReader(r *bufio.Reader) (*Reader, error) {
	c := &Reader{lines: r}
	if !isHeader().Match(firstLine(r)) {
		return nil, ErrNoRecording
	}
	line, err := c.next()
	if err != nil {
		return nil, err
	}
	var h struct {
		Version int `json:"version"`

		Width  int      `json:"width"`  // version 2
		Height int      `json:"height"` // version 2
		Term   struct { // version 3
			Cols int `json:"cols"`
			Rows int `json:"rows"`
		} `json:"term"`
		Title     string  `json:"title"`
		IdleLimit float64 `json:"idle_time_limit"` // seconds
	}
	switch err := json.Unmarshal(line, &h); {
	case err != nil:
		return nil, fmt.Errorf("the header: %w", err)
	case h.Version != 2 && h.Version != 3:
		return nil, fmt.Errorf("asciicast version %d: only 2 and 3 are known", h.Version)
	}
	c.version = h.Version
	c.header = Header{Cols: h.Width, Rows: h.Height, Title: h.Title}
	if c.version == 3 {
		c.header.Cols, c.header.Rows = h.Term.Cols, h.Term.Rows
	}
	if err := checkSize(c.header.Cols, c.header.Rows); err != nil {
		return nil, fmt.Errorf("the header: %w", err)
	}
	if c.header.IdleLimit, err = seconds(h.IdleLimit); err != nil {
		return nil, fmt.Errorf("the header: idle_time_limit: %w", err)
	}
	return c, nil
}

// firstLine returns the first line, or as much of it as r keeps, and perhaps what is behind it. It
// takes nothing, and does not wait for more: what is being recorded just now may be slow to come.
func firstLine(r *bufio.Reader) []byte {
	for {
		_, err := r.Peek(min(r.Buffered()+1, r.Size()))
		first, _ := r.Peek(r.Buffered()) // never fails
		if err != nil || len(first) == r.Size() || bytes.IndexByte(first, '\n') >= 0 {
			return first
		}
	}
}

// Header returns what the recording says of itself.
func (c *Reader) Header() Header { return c.header }

// Next returns the next event, and io.EOF at the end. An error names the line that it is in.
func (c *Reader) Next() (Event, error) {
	for {
		line, err := c.next()
		if err != nil {
			return Event{}, err
		}
		// Version 3 has comments.
		if line = bytes.TrimSpace(line); len(line) == 0 || line[0] == '#' {
			continue
		}
		e, err := c.parse(line)
		if err != nil {
			return Event{}, fmt.Errorf("line %d: %w", c.line, err)
		}
		return e, nil
	}
}

func (c *Reader) parse(line []byte) (e Event, err error) {
	var parts [4]json.RawMessage // no more, so that millions take no memory
	if err := json.Unmarshal(line, &parts); err != nil {
		return e, err
	}
	switch n := slices.IndexFunc(parts[:], func(part json.RawMessage) bool { return part == nil }); {
	case n < 0:
		return e, errors.New("4 parts or more where an event has 3")
	case n < 3:
		return e, fmt.Errorf("%d parts where an event has 3", n)
	}
	var when float64
	for i, part := range []any{&when, &e.Kind, &e.Data} {
		if err := json.Unmarshal(parts[i], part); err != nil {
			return e, err
		}
	}
	if e.At, err = seconds(when); err != nil {
		return e, err
	}
	if c.version == 3 { // which says how long after the last one
		e.At = min(c.at+e.At, maxTime)
	}
	e.At = max(e.At, c.at)
	c.at = e.At
	return e, nil
}

// Size returns the size that a Resize says, in cells.
func (e Event) Size() (cols, rows int, err error) {
	if cols, rows, err = ParseSize(e.Data); err != nil {
		err = fmt.Errorf("resize to %w", err)
	}
	return cols, rows, err
}

// ParseSize reads a terminal's size, as in 80x24: columns, then rows. One that no terminal can have
// is an error.
func ParseSize(text string) (cols, rows int, err error) {
	w, h, _ := strings.Cut(text, "x")
	if cols, err = strconv.Atoi(w); err == nil {
		rows, err = strconv.Atoi(h)
	}
	if err != nil {
		return 0, 0, fmt.Errorf("%.40q: want a size as in 80x24", text)
	}
	return cols, rows, checkSize(cols, rows)
}

// next returns the next line, lent until the one after.
func (c *Reader) next() ([]byte, error) {
	c.line++
	line, err := c.lines.ReadSlice('\n')
	if err == nil || err == io.EOF && len(line) > 0 {
		return line, nil
	}
	if err != bufio.ErrBufferFull {
		return nil, err
	}
	long := bytes.Clone(line)
	for err == bufio.ErrBufferFull {
		line, err = c.lines.ReadSlice('\n')
		if long = append(long, line...); len(long) > maxLine {
			return nil, fmt.Errorf("line %d: longer than %d MiB", c.line, maxLine>>20)
		}
	}
	if err == io.EOF {
		err = nil
	}
	return long, err
}

func checkSize(cols, rows int) error {
	if cols < minWidth || cols > vt.MaxCols || rows < 1 || rows > vt.MaxRows {
		return fmt.Errorf("a terminal of %dx%d cells: from %dx1 to %dx%d can be shown", cols, rows, minWidth, vt.MaxCols, vt.MaxRows)
	}
	return nil
}

func seconds(s float64) (time.Duration, error) {
	if s < 0 || s > maxTime.Seconds() {
		return 0, fmt.Errorf("a time of %g s: from 0 to a year is possible", s)
	}
	return time.Duration(s * float64(time.Second)), nil
}
