package http

import (
	"encoding/binary"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// The kinds of frames: ABI.md, "Frames".
const (
	frameHead  = 1
	frameData  = 2
	frameEnd   = 3
	frameError = 4
)

const (
	frameSize = 8       // of a frame's own head
	maxHead   = 2 << 20 // of a response's header, more than any host sends
	maxText   = 8 << 10 // of an error, likewise
)

// appendFrame appends the head of a frame that has size bytes.
func appendFrame(b []byte, kind uint32, size int) []byte {
	b = binary.LittleEndian.AppendUint32(b, kind)
	return binary.LittleEndian.AppendUint32(b, uint32(size))
}

// readFrame reads the head of a frame.
func readFrame(r io.Reader) (kind, size uint32, err error) {
	var b [frameSize]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return 0, 0, early(err)
	}
	return binary.LittleEndian.Uint32(b[:]), binary.LittleEndian.Uint32(b[4:]), nil
}

// readText reads what a frame has, which is at most limit bytes.
func readText(r io.Reader, size, limit uint32) (string, error) {
	if size > limit {
		return "", fmt.Errorf("http: the host sends a frame of %d bytes", size)
	}
	b := make([]byte, size)
	if _, err := io.ReadFull(r, b); err != nil {
		return "", early(err)
	}
	return string(b), nil
}

// early is what the end of a stream is before its last frame.
func early(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// readError reads the host's error, which a frame of size bytes has.
func readError(r io.Reader, size uint32) error {
	text, err := readText(r, size, maxText)
	switch {
	case err != nil:
		return err
	case len(text) < 4:
		return io.ErrUnexpectedEOF
	}
	return &Error{Code(binary.LittleEndian.Uint32([]byte(text))), text[4:]}
}

// head returns the header of a request as the host reads it.
func (r *Request) head() ([]byte, error) {
	method := r.Method
	if method == "" {
		method = "GET"
	}
	b := appendFrame(nil, frameHead, 0)
	b = append(b, method+" "+r.URL...)
	add := func(name, value string) { b = append(b, "\n"+name+": "+value...) }
	for _, f := range r.Header {
		if strings.ContainsAny(f.Name, ":\r\n") || strings.ContainsAny(f.Value, "\r\n") {
			return nil, &Error{Invalid, fmt.Sprintf("a header's field has a line break, or its name a colon: %.80q", f.Name)}
		}
		if !strings.EqualFold(f.Name, "Content-Length") {
			add(f.Name, f.Value)
		}
	}
	switch {
	case strings.ContainsAny(method+r.URL, " \r\n"):
		return nil, &Error{Invalid, fmt.Sprintf("a method or URL has a space: %.80q", method+" "+r.URL)}
	case r.Body == nil:
		add("Content-Length", "0")
	case r.Length > 0:
		add("Content-Length", strconv.FormatInt(r.Length, 10))
	}
	binary.LittleEndian.PutUint32(b[4:], uint32(len(b)-frameSize))
	return b, nil
}

// parseHead reads the header of a response: "200 OK", and a line for each field.
func parseHead(text string) (*Response, error) {
	lines := strings.Split(text, "\n")
	status, reason, _ := strings.Cut(lines[0], " ")
	n, err := strconv.Atoi(status)
	if err != nil {
		return nil, fmt.Errorf("http: the host sends the status %.80q", lines[0])
	}
	response := &Response{Status: n, Reason: reason}
	for _, line := range lines[1:] {
		name, value, _ := strings.Cut(line, ": ")
		response.Header = append(response.Header, Field{name, value})
	}
	return response, nil
}
