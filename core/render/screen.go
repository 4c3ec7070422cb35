package render

import "github.com/terrarium-dev/terrarium/core/vt"

// A Screen is the Renderer of what a person would see. A line goes to the Sink
// when it scrolls out of the main screen; what is on the screen is open. It
// takes hardly any memory until it is first used.
type Screen struct {
	options *vt.Options // nil once there is a screen
	screen  *vt.Screen  // nil until somebody needs it
	scrolls bool        // what scrolls out goes to dst
	dst     Sink        // of the last Write
}

// NewScreen returns an empty screen. o.Scrolled does not count.
func NewScreen(o vt.Options) *Screen { return &Screen{options: &o, scrolls: true} }

// NewView returns a screen that is only looked at: what scrolls out of it goes
// to nobody but its own scrollback, and a Write needs no Sink.
func NewView(o vt.Options) *Screen {
	o.Scrolled = nil
	return &Screen{options: &o}
}

// Screen returns the screen, to look at. It belongs to s.
func (s *Screen) Screen() *vt.Screen {
	if s.screen == nil {
		if s.scrolls {
			s.options.Scrolled = scrolled{s}
		}
		s.screen = vt.NewScreen(*s.options)
		s.options = nil
	}
	return s.screen
}

// scrolled is a Screen as its vt.Screen sees it.
type scrolled struct{ *Screen }

// Append implements vt.Sink.
func (s scrolled) Append(p []byte) {
	if s.dst != nil { // else nothing was written that could scroll
		s.dst.Append(p)
	}
}

// Write implements Renderer.
func (s *Screen) Write(dst Sink, p []byte) {
	s.dst = dst
	s.Screen().Write(p)
}

// Resize gives the screen another size. Lines that have no place on it any
// longer go to the Sink of the last Write.
func (s *Screen) Resize(rows, cols int) {
	if s.screen == nil {
		s.options.Rows, s.options.Cols = rows, cols
		return
	}
	s.screen.Resize(rows, cols)
}

// TakeReplies is that of vt.Screen.
func (s *Screen) TakeReplies(dst []byte) []byte {
	if s.screen == nil {
		return dst
	}
	return s.screen.TakeReplies(dst)
}

// OpenLen implements Renderer. It takes as long as AppendOpen.
func (s *Screen) OpenLen() int { return len(s.AppendOpen(nil)) }

// AppendOpen implements Renderer: it appends a line for each on the screen.
func (s *Screen) AppendOpen(dst []byte) []byte {
	if s.screen == nil {
		return dst
	}
	return s.screen.AppendLines(dst)
}

// Flush implements Renderer. The screen shows the same afterwards, but is of no
// more use as a Renderer. Of a view it does nothing.
func (s *Screen) Flush(dst Sink) {
	if s.scrolls {
		dst.Append(s.AppendOpen(nil))
	}
}
