package vt

// A Color is a colour of a Style. The zero value is the terminal's default.
type Color uint32

const (
	colorPalette Color = 1 << 24
	colorRGB     Color = 2 << 24
)

// Palette returns colour n of the 256: 0 to 7 are those of ANSI, 8 to 15 their
// bright forms.
func Palette(n uint8) Color { return colorPalette | Color(n) }

// RGB returns a colour outside of the palette.
func RGB(r, g, b uint8) Color {
	return colorRGB | Color(r)<<16 | Color(g)<<8 | Color(b)
}

// Palette returns the number of c in the palette, if it is of the palette.
func (c Color) Palette() (n uint8, ok bool) {
	return uint8(c), c&colorPalette != 0
}

// RGB returns the parts of c, if it is a colour of RGB.
func (c Color) RGB() (r, g, b uint8, ok bool) {
	return uint8(c >> 16), uint8(c >> 8), uint8(c), c&colorRGB != 0
}

// An Attr is a set of what SGR can switch on besides colours. Its kind of
// underline is in it too; see [Attr.Underline].
type Attr uint16

const (
	Bold      Attr = 1 << iota // SGR 1
	Dim                        // SGR 2
	Italic                     // SGR 3
	Blink                      // SGR 5
	Inverse                    // SGR 7: foreground and background change places
	Invisible                  // SGR 8: the text is not shown
	Strike                     // SGR 9
	Overline                   // SGR 53
	protected                  // DECSCA: selective erasure leaves it alone
)

const (
	underlineShift      = 9
	underlineMask  Attr = 7 << underlineShift
)

// An Underline is a kind of underline, as SGR 4:n numbers them.
type Underline uint8

const (
	NoUnderline     Underline = iota // SGR 24 and 4:0
	SingleUnderline                  // SGR 4 and 4:1
	DoubleUnderline                  // SGR 21 and 4:2
	CurlyUnderline                   // SGR 4:3
	DottedUnderline                  // SGR 4:4
	DashedUnderline                  // SGR 4:5
)

// Underline returns the kind of underline in a.
func (a Attr) Underline() Underline { return Underline(a & underlineMask >> underlineShift) }

func (a Attr) withUnderline(u Underline) Attr {
	return a&^underlineMask | Attr(u)<<underlineShift
}

// A Style is how a cell looks. The zero value is plain.
type Style struct {
	Fg, Bg         Color
	UnderlineColor Color
	Attr           Attr
	link           uint16 // number of a hyperlink, 0 is none
}
