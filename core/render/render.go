package render

import "github.com/terrarium-dev/terrarium/core/text"

// A Sink takes rendered output, as a ring.Ring and a Buffer do. p is lent.
type Sink = text.Sink

// A Buffer is a Sink that keeps everything.
type Buffer []byte

// Append implements Sink.
func (b *Buffer) Append(p []byte) { *b = append(*b, p...) }

// A Renderer turns output into what is kept of it. What can't change any more
// goes to a Sink; what still can is open: a line without its end, or a screen.
type Renderer interface {
	// Write takes more output: valid UTF-8, whole characters. p is not kept.
	Write(dst Sink, p []byte)
	// OpenLen returns how many bytes AppendOpen would append.
	OpenLen() int
	// AppendOpen appends what is open to dst.
	AppendOpen(dst []byte) []byte
	// Flush hands what is open to dst: no more output comes.
	Flush(dst Sink)
}

// Raw is the Renderer that leaves output as it is. Nothing is ever open.
type Raw struct{}

var (
	_ Renderer = Raw{}
	_ Renderer = (*text.Folder)(nil)
	_ Renderer = (*Screen)(nil)
)

// Write implements Renderer.
func (Raw) Write(dst Sink, p []byte) { dst.Append(p) }

// OpenLen implements Renderer.
func (Raw) OpenLen() int { return 0 }

// AppendOpen implements Renderer.
func (Raw) AppendOpen(dst []byte) []byte { return dst }

// Flush implements Renderer.
func (Raw) Flush(Sink) {}
