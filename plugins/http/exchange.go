package http

import (
	"bufio"
	"context"
	"errors"
	"io"
	"sync"
)

// exchange sends r on a stream of the host's, which it closes at the end, and
// returns what comes.
func exchange(ctx context.Context, stream io.ReadWriteCloser, r *Request) (*Response, error) {
	x := &exchanged{stream: stream, in: bufio.NewReaderSize(stream, 4<<10)}
	x.stop = context.AfterFunc(ctx, func() { x.end(context.Cause(ctx)) })
	head, err := r.head()
	if err != nil {
		x.Close()
		return nil, err
	}
	go x.send(head, r.Body) // ends with the body, or when the stream is closed
	response, err := x.answer()
	if err != nil {
		x.Close()
		return nil, x.why(err)
	}
	response.Body = x
	return response, nil
}

// An exchanged is a request under way, and its response's body.
type exchanged struct {
	stream io.ReadWriteCloser
	in     *bufio.Reader
	stop   func() bool // of what ends it with its context
	left   uint32      // of a frame of data
	done   error       // what Read returns from now on

	mu    sync.Mutex
	ended error // why it was ended before its end, or nil
}

// answer reads as far as the response's header.
func (x *exchanged) answer() (*Response, error) {
	kind, size, err := readFrame(x.in)
	switch {
	case err != nil:
		return nil, err
	case kind == frameError:
		return nil, readError(x.in, size)
	case kind != frameHead:
		return nil, errFrame
	}
	text, err := readText(x.in, size, maxHead)
	if err != nil {
		return nil, err
	}
	return parseHead(text)
}

var errFrame = errors.New("http: the host sends a frame that means nothing here")

// Read implements io.Reader.
func (x *exchanged) Read(p []byte) (int, error) {
	for x.left == 0 && x.done == nil {
		x.done = x.next()
	}
	if x.done != nil {
		return 0, x.done
	}
	n, err := x.in.Read(p[:min(len(p), int(min(x.left, 1<<30)))])
	x.left -= uint32(n)
	if err != nil {
		x.done = x.why(early(err))
	}
	return n, x.done
}

// next begins the next frame of data, or says why there is none.
func (x *exchanged) next() error {
	kind, size, err := readFrame(x.in)
	switch {
	case err != nil:
		return x.why(err)
	case kind == frameData:
		x.left = size
		return nil
	case kind == frameEnd:
		return io.EOF
	case kind == frameError:
		return x.why(readError(x.in, size))
	}
	return errFrame
}

// send sends the request. Where that fails the server has no use for the rest, and
// the response says why.
func (x *exchanged) send(head []byte, body io.Reader) {
	if _, err := x.stream.Write(head); err != nil || body == nil {
		return
	}
	b := make([]byte, 32<<10)
	for {
		n, err := body.Read(b[frameSize:])
		if n > 0 {
			appendFrame(b[:0], frameData, n)
			if _, err := x.stream.Write(b[:frameSize+n]); err != nil {
				return
			}
		}
		switch {
		case err == io.EOF:
			x.stream.Write(appendFrame(nil, frameEnd, 0)) // see above
			return
		case err != nil:
			x.end(err)
			return
		}
	}
}

// end ends the request, for the reason err.
func (x *exchanged) end(err error) {
	x.mu.Lock()
	if x.ended == nil {
		x.ended = err
	}
	x.mu.Unlock()
	x.stream.Close()
}

// why returns why the request was ended, if it was, instead of err, which came of
// that.
func (x *exchanged) why(err error) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.ended != nil {
		return x.ended
	}
	return err
}

// Close implements io.Closer.
func (x *exchanged) Close() error {
	x.stop()
	return x.stream.Close()
}
