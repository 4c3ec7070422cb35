package picture

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/core/vt"
)

// Sizes in pixels. A cell is as wide as a character of a usual monospaced font of this size; each
// run of text says how wide it is, so that another font doesn't shift what follows.
const (
	fontSize   = 14
	cellWidth  = 8.4
	cellHeight = 18
	baseline   = 13.5 // below the top of a cell
	padding    = 12
)

// Config is how a screen is drawn. The zero value is a picture in both themes without a title.
type Config struct {
	Theme  Theme  // if empty, Auto
	Title  string // what the picture shows, for who can't see it
	Cursor bool   // draws the cursor, where the screen shows it
}

// maxRuns is how many pieces in different styles a picture has at most: as many as a screen of
// 400x250 cells of which each has another style. A piece takes up to 300 bytes, and the largest
// screen has millions.
const maxRuns = 100_000

// ErrTooManyStyles says that a picture would be too large.
var ErrTooManyStyles = fmt.Errorf("a picture of more than %d pieces in different styles", maxRuns)

// SVG writes the first rows of s, all columns, to w: it is rows high, at least 1 and at most all
// there are. s must not change in the meantime. After ErrTooManyStyles nothing was written; another
// error is w's.
func SVG(w io.Writer, s *vt.Screen, rows int, c Config) error {
	all, cols := s.Size()
	rows = max(1, min(rows, all))
	runs := 0
	for y := range rows {
		for range s.Runs(y) {
			if runs++; runs > maxRuns {
				return ErrTooManyStyles
			}
		}
	}
	if c.Theme == "" {
		c.Theme = Auto
	}
	p := painter{Writer: bufio.NewWriter(w)}
	width, height := float64(cols)*cellWidth+2*padding, float64(rows*cellHeight+2*padding)
	p.print(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" width="%g" height="%g" role="img" xml:space="preserve">`+"\n",
		width, height, width, height)
	if c.Title != "" {
		p.print("<title>%s</title>\n", escape(c.Title))
	}
	p.print("<style>%s", c.Theme.style(nil))
	p.print("text{font:%dpx ui-monospace,SFMono-Regular,Menlo,Consolas,\"DejaVu Sans Mono\",monospace;white-space:pre}"+
		"</style>\n", fontSize)
	p.print(`<rect width="%g" height="%g" rx="8" style="fill:var(--back)"/>`+"\n", width, height)
	for y := range rows {
		for run := range s.Runs(y) {
			p.run(y, run)
		}
	}
	if at := s.Cursor(); c.Cursor && !at.Hidden && at.Y < rows {
		p.rect(at.Y, min(at.X, cols-1), 1, "fill:var(--fore);opacity:.5")
	}
	p.print("</svg>\n")
	return p.Flush()
}

// A painter writes parts of an image. The first error is kept, and told by Flush.
type painter struct{ *bufio.Writer }

func (p painter) print(format string, args ...any) { fmt.Fprintf(p, format, args...) }

// rect paints cells of row y.
func (p painter) rect(y, x, cells int, style string) {
	p.print(`<rect x="%.5g" y="%d" width="%.5g" height="%d" style="%s"/>`+"\n",
		padding+float64(x)*cellWidth, padding+y*cellHeight, float64(cells)*cellWidth, cellHeight, style)
}

// run paints what looks the same: what is behind it, and its text.
func (p painter) run(y int, r vt.Run) {
	fore, back := css(r.Style.Fg, "fore"), css(r.Style.Bg, "back")
	behind := r.Style.Bg != 0
	if r.Style.Attr&vt.Inverse != 0 {
		fore, back, behind = back, fore, true
	}
	if behind {
		p.rect(y, r.X, r.Width, "fill:"+back)
	}
	text := string(r.Text)
	if r.Style.Attr&vt.Invisible != 0 || strings.TrimSpace(text) == "" && decoration(r.Style) == "" {
		return
	}
	p.print(`<text x="%.5g" y="%.5g" textLength="%.5g" lengthAdjust="spacingAndGlyphs" style="fill:%s%s">%s</text>`+"\n",
		padding+float64(r.X)*cellWidth, padding+float64(y*cellHeight)+baseline, float64(r.Width)*cellWidth,
		fore, face(r.Style), escape(text))
}

// face returns what CSS says of a style, besides its colours.
func face(s vt.Style) (css string) {
	if s.Attr&vt.Bold != 0 {
		css += ";font-weight:bold"
	}
	if s.Attr&vt.Italic != 0 {
		css += ";font-style:italic"
	}
	if s.Attr&vt.Dim != 0 {
		css += ";opacity:.6"
	}
	return css + decoration(s)
}

// underlines are CSS's names of them.
var underlines = [...]string{
	vt.SingleUnderline: "solid", vt.DoubleUnderline: "double", vt.CurlyUnderline: "wavy",
	vt.DottedUnderline: "dotted", vt.DashedUnderline: "dashed",
}

// decoration returns what CSS says of a style's lines, "" if it has none.
func decoration(s vt.Style) string {
	lines := ""
	under := s.Attr.Underline()
	if under != vt.NoUnderline {
		lines += " underline"
	}
	if s.Attr&vt.Overline != 0 {
		lines += " overline"
	}
	if s.Attr&vt.Strike != 0 {
		lines += " line-through"
	}
	if lines == "" {
		return ""
	}
	d := ";text-decoration:" + lines[1:]
	if under != vt.NoUnderline && int(under) < len(underlines) {
		d += " " + underlines[under]
	}
	if s.UnderlineColor != 0 {
		d += " " + css(s.UnderlineColor, "fore")
	}
	return d
}

// escape returns text as XML 1.0 has it. What XML has no way to say becomes U+FFFD.
func escape(text string) string {
	return escaper.Replace(strings.Map(func(c rune) rune {
		if c == '\n' || c == '\t' {
			return ' '
		}
		// A screen has none of these.
		if c < ' ' || c == 0xfffe || c == 0xffff || c == utf8.RuneError {
			return utf8.RuneError
		}
		return c
	}, text))
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")
