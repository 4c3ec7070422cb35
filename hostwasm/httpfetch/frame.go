package httpfetch

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
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
	frameSize         = 8        // of a frame's own head, in bytes
	maxRequestHead    = 64 << 10 // of a request's header
	maxResponseHeader = 256 << 10
	maxText           = 2000 // of an error
	piece             = 32 << 10
)

// writeFrame writes a frame in one piece.
func writeFrame(w io.Writer, kind uint32, data string) error {
	b := binary.LittleEndian.AppendUint32(make([]byte, 0, frameSize+len(data)), kind)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(data)))
	_, err := w.Write(append(b, data...))
	return err
}

// readFrame reads the head of a frame.
func readFrame(r io.Reader) (kind, size uint32, err error) {
	var b [frameSize]byte
	_, err = io.ReadFull(r, b[:])
	return binary.LittleEndian.Uint32(b[:]), binary.LittleEndian.Uint32(b[4:]), err
}

// readHead reads the frame that a request begins with.
func readHead(r io.Reader) (string, error) {
	kind, size, err := readFrame(r)
	switch {
	case err != nil:
		return "", err
	case kind != frameHead:
		return "", invalid("the first frame is no header")
	case size > maxRequestHead:
		return "", invalid(fmt.Sprintf("a header of %d bytes: at most %d are allowed", size, maxRequestHead))
	}
	b := make([]byte, size)
	_, err = io.ReadFull(r, b)
	return string(b), err
}

// invalid is an error about what the guest has sent.
type invalid string

func (e invalid) Error() string { return string(e) }

// A sent is a request's body as the guest sends it: frames of data and an end, without
// which it is not complete.
type sent struct {
	r    io.Reader
	left uint32 // of a frame
	done error
}

func (s *sent) Read(p []byte) (int, error) {
	for s.left == 0 && s.done == nil {
		kind, size, err := readFrame(s.r)
		switch {
		case err != nil:
			s.done = errGone
		case kind == frameEnd:
			s.done = io.EOF
		case kind == frameData:
			s.left = size
		default:
			s.done = invalid("a frame that is neither data nor the end")
		}
	}
	if s.done != nil {
		return 0, s.done
	}
	n, err := s.r.Read(p[:min(int64(len(p)), int64(s.left))])
	s.left -= uint32(n)
	if err != nil {
		s.done = errGone
	}
	return n, nil
}

// errGone is why a request ends whose guest has let go.
var errGone = errors.New("the command has ended the request")

// parseRequest reads a request's header: its method and URL, and a line for each field.
func parseRequest(text string) (*http.Request, error) {
	lines := strings.Split(text, "\n")
	method, rawURL, ok := strings.Cut(lines[0], " ")
	if !ok || method == "" || method == http.MethodConnect {
		return nil, invalid("a request begins with a method and a URL")
	}
	r, err := http.NewRequest(method, rawURL, nil)
	switch {
	case err != nil:
		return nil, invalid(cut(err.Error()))
	case r.URL.Scheme != "http" && r.URL.Scheme != "https" || r.URL.Hostname() == "":
		return nil, invalid(`a URL begins with "http://" or "https://" and a host`)
	case r.URL.User != nil:
		return nil, invalid("a URL has no user and no password here: use the header Authorization")
	}
	r.ContentLength = -1
	for _, line := range lines[1:] {
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			return nil, invalid("a header's field has no colon")
		}
		if err := setField(r, http.CanonicalHeaderKey(name), strings.TrimSpace(value)); err != nil {
			return nil, err
		}
	}
	if _, ok := r.Header["User-Agent"]; !ok {
		r.Header["User-Agent"] = nil // so that none is sent
	}
	return r, nil
}

// setField adds a field to a request, unless it is about the connection (RFC 9110,
// 7.6.1).
func setField(r *http.Request, name, value string) error {
	switch name {
	case "Host":
		r.Host = value
	case "Content-Length":
		n, err := strconv.ParseUint(value, 10, 63)
		if err != nil {
			return invalid("a Content-Length that is no number")
		}
		r.ContentLength = int64(n)
	case "Connection", "Expect", "Keep-Alive", "Proxy-Connection", "Proxy-Authorization", "Te", "Trailer", "Transfer-Encoding", "Upgrade":
	default:
		r.Header[name] = append(r.Header[name], value)
	}
	return nil
}

// responseHead is a response's header as the guest reads it.
func responseHead(r *http.Response) string {
	var b strings.Builder
	reason := strings.TrimPrefix(r.Status, strconv.Itoa(r.StatusCode)+" ")
	fmt.Fprintf(&b, "%d %s", r.StatusCode, line(reason))
	if r.ContentLength >= 0 && r.Header.Get("Content-Length") == "" && r.Request.Method != http.MethodHead {
		fmt.Fprintf(&b, "\nContent-Length: %d", r.ContentLength)
	}
	for name, values := range r.Header {
		for _, value := range values {
			fmt.Fprintf(&b, "\n%s: %s", name, line(value))
		}
	}
	return b.String()
}

// line makes one line of text.
func line(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' || r == 0 {
			return ' '
		}
		return r
	}, text)
}

// cut makes one line of text that is not too long.
func cut(text string) string {
	if len(text) > maxText {
		text = text[:maxText] + "..."
	}
	return line(strings.ToValidUTF8(text, "?"))
}
