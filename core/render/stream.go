package render

import "github.com/terrarium-dev/terrarium/core/text"

// A Stream is a Renderer of output as a command writes it: bytes that are cut
// anywhere and may be no UTF-8, on standard output and on standard error. What
// is invalid becomes U+FFFD.
type Stream struct {
	renderer Renderer
	repair   [2]text.Repairer // a stream's split characters must not mix with the other's
}

// NewStream returns a Stream that hands repaired output to r.
func NewStream(r Renderer) *Stream { return &Stream{renderer: r} }

// Write takes what the command wrote: stream is 1 for standard output and 2 for
// standard error. p is not kept.
func (s *Stream) Write(dst Sink, stream uint8, p []byte) {
	repair := &s.repair[0]
	if stream == 2 {
		repair = &s.repair[1]
	}
	for len(p) > 0 {
		var valid []byte
		valid, p = repair.Next(p)
		s.renderer.Write(dst, valid)
	}
}

// AppendOpen appends what is open to dst.
func (s *Stream) AppendOpen(dst []byte) []byte { return s.renderer.AppendOpen(dst) }

// Flush hands what is open to dst: no more output comes.
func (s *Stream) Flush(dst Sink) {
	s.End(dst)
	s.renderer.Flush(dst)
}

// End writes the characters whose rest is missing: no more output comes. What is open stays so, for
// those who draw it themselves.
func (s *Stream) End(dst Sink) {
	for i := range s.repair {
		if last := s.repair[i].Flush(); len(last) > 0 {
			s.renderer.Write(dst, last)
		}
	}
}
