package vt

// The largest screen. A larger size is cut to it, and one below 1x2 raised.
const (
	MaxRows = 1000 // the most rows that a screen may have
	MaxCols = 4096 // the most columns that a screen may have
)

// Options are what a Screen begins with.
type Options struct {
	// Rows and Cols are the size. If zero, 24 and 80.
	Rows, Cols int

	// ScrollbackBytes bounds the memory of the lines that scrolled out of the
	// main screen; the oldest go first. If zero, 1 MiB. If negative, none are
	// kept.
	ScrollbackBytes int

	// Scrolled, if set, takes the text of the lines that scroll out of the main
	// screen, each with a newline. The Screen keeps none of them then: they
	// don't come back when it gets larger. See [Screen.AppendLines].
	Scrolled Sink

	// Newline has LF move to the first column too. It is for output that no
	// terminal driver has turned LF into CR LF in, as of a pty without OPOST.
	Newline bool

	// Replies has the Screen answer queries. See [Screen.TakeReplies].
	Replies bool
}

// A Screen is what a person sees of a program's output: it gives meaning to what
// its Parser finds. It is made by [NewScreen].
//
// Rows and columns count from 0. Memory is bounded by size and scrollback,
// whatever is written, and so is time, by the size and the number of bytes. A
// Screen is not safe for concurrent use; nothing that a getter returns is kept.
type Screen struct {
	parser  Parser
	options Options

	rows, cols int
	x, y       int // x is cols after a character in the last column, at most cols+1
	buf        *buffer
	main       buffer
	alt        *buffer // nil until it was shown
	history    history
	given      given

	gen   uint64 // counts writes
	moved uint64 // the last in which rows changed places

	pen        Style // of what is printed next
	penCell    cell  // empty in that style, if penKnown
	eraseCell  cell  // empty in the background of pen, if eraseKnown
	penKnown   bool
	eraseKnown bool
	lastWidth  int // of the last character, 0 if nothing can join it
	charsets   charsets
	modes      Modes
	protects   bool // some cell may be protected
	budget     budget

	styles   styles
	clusters clusters
	links    links

	title, icon string
	titles      *titleStack // nil until a title was pushed
	dir         string
	mark        PromptMark
	bells       uint64
	replies     []byte
	frame       *frame // what is seen while output is synchronized
	lastFrame   *frame // memory for the next
}

// NewScreen returns a blank Screen. What it takes grows with what is written.
func NewScreen(o Options) *Screen {
	if o.Rows == 0 {
		o.Rows = 24
	}
	if o.Cols == 0 {
		o.Cols = 80
	}
	if o.ScrollbackBytes == 0 {
		o.ScrollbackBytes = 1 << 20
	}
	s := &Screen{options: o}
	s.rows, s.cols = clampSize(o.Rows, o.Cols)
	s.buf = &s.main
	s.history.limit = o.ScrollbackBytes
	if o.Scrolled != nil {
		s.history.limit = -1
	}
	s.reset()
	return s
}

func clampSize(rows, cols int) (int, int) {
	return min(max(rows, 1), MaxRows), min(max(cols, 2), MaxCols)
}

// reset is RIS. What xterm.js keeps, the title for one, stays.
func (s *Screen) reset() {
	s.thaw()
	s.x, s.y = 0, 0
	s.setAlt(false, false)
	if s.alt != nil {
		s.alt.saved = savedCursor{}
	}
	s.clearScreen(0)
	s.main.renew()
	s.history.clear()
	s.styles, s.clusters, s.links = styles{}, clusters{}, links{}
	s.setPen(Style{})
	s.charsets = charsets{}
	s.protects = false
	s.modes = Modes{Autowrap: true, CursorBlink: s.modes.CursorBlink, Newline: s.modes.Newline}
	s.markAll()
}

// A handler is the Screen as its Parser sees it.
type handler struct{ *Screen }

func (h handler) Print(p []byte)                         { h.print(p) }
func (h handler) Execute(c byte)                         { h.execute(c); h.lastWidth = 0 }
func (h handler) ESC(op Op)                              { h.escape(op); h.lastWidth = 0 }
func (h handler) CSI(op Op, params *Params)              { h.control(op, params); h.lastWidth = 0 }
func (h handler) OSC(payload []byte)                     { h.command(payload); h.lastWidth = 0 }
func (h handler) DCS(op Op, params *Params, data []byte) { h.device(op, data); h.lastWidth = 0 }

// Size returns the size of the screen, in cells.
func (s *Screen) Size() (rows, cols int) { return s.rows, s.cols }

// Bells returns how often the bell has rung.
func (s *Screen) Bells() uint64 { return s.bells }

// Generation changes with every Write and Resize.
func (s *Screen) Generation() uint64 { return s.gen }

// RowGeneration returns the generation in which row y of the live screen last
// changed: rows with one above g are those changed since [Screen.Generation]
// was g. It errs on the side of change: after rows were moved, all count as
// changed. It is 0 if there is no such row.
func (s *Screen) RowGeneration(y int) uint64 {
	if y < 0 || y >= s.rows {
		return 0
	}
	return max(s.moved, s.buf.seen(y).gen)
}

// row returns row y, which is about to change.
func (s *Screen) row(y int) *row {
	r := s.buf.row(y)
	s.change(r)
	return r
}

// change says that r is about to change.
func (s *Screen) change(r *row) {
	if s.frame != nil {
		s.frame.keep(r)
	}
	r.gen = s.gen
}

// markAll says that every row has changed.
func (s *Screen) markAll() { s.moved = s.gen }

func (s *Screen) setPen(st Style) {
	s.pen = st
	s.penKnown, s.eraseKnown = false, false
}

// findPen gives the style of what is printed its number.
func (s *Screen) findPen() {
	if !s.penKnown {
		s.penCell = s.emptyIn(&s.pen)
		s.penKnown = true
	}
}

// blank returns what erased cells become: empty, in the background of the pen.
func (s *Screen) blank() cell {
	if s.pen.Bg == 0 {
		return 0
	}
	return s.blankInPen()
}

func (s *Screen) blankInPen() cell {
	if !s.eraseKnown {
		s.findPen()
		s.eraseCell = s.emptyIn(&Style{Bg: s.pen.Bg})
		s.eraseKnown = true
		s.findPen() // anew, if there was a sweep; then there is no other one
	}
	return s.eraseCell
}

// emptyIn returns an empty cell in a style.
func (s *Screen) emptyIn(st *Style) cell {
	if s.styles.full() {
		s.sweepStyles()
	}
	return empty(s.styles.number(st))
}
