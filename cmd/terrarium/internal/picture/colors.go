package picture

import (
	"fmt"

	"github.com/terrarium-dev/terrarium/core/vt"
)

// colors are those of a terminal: its own two, and the 16 that a program names by number. They are
// chosen so that each of the 16 can be read on back.
type colors struct {
	fore, back string
	palette    [16]string
}

// The 16 are those of Primer, GitHub's design system, which a picture is often looked at in:
// https://primer.style/primitives/colors.
var (
	light = colors{"#1f2328", "#f6f8fa", [16]string{
		"#24292f", "#cf222e", "#116329", "#7d4e00", "#0969da", "#8250df", "#1b7c83", "#6e7781",
		"#57606a", "#a40e26", "#1a7f37", "#633c01", "#218bff", "#a475f9", "#3192aa", "#8c959f",
	}}
	dark = colors{"#e6edf3", "#161b22", [16]string{
		"#484f58", "#ff7b72", "#3fb950", "#d29922", "#58a6ff", "#bc8cff", "#39c5cf", "#b1bac4",
		"#6e7681", "#ffa198", "#56d364", "#e3b341", "#79c0ff", "#d2a8ff", "#56d4dd", "#ffffff",
	}}
)

// css returns how CSS names a colour: the 16 and the terminal's own by a variable, so that a theme
// decides.
func css(c vt.Color, own string) string {
	if r, g, b, ok := c.RGB(); ok {
		return fmt.Sprintf("#%02x%02x%02x", r, g, b)
	}
	n, ok := c.Palette()
	switch {
	case !ok:
		return "var(--" + own + ")"
	case n < 16:
		return fmt.Sprintf("var(--c%d)", n)
	case n < 232: // a cube of 6×6×6
		n -= 16
		return fmt.Sprintf("#%02x%02x%02x", cube[n/36], cube[n/6%6], cube[n%6])
	}
	grey := 8 + 10*(n-232)
	return fmt.Sprintf("#%02x%02x%02x", grey, grey, grey)
}

// cube are the steps of the 256 colours, as xterm has them.
var cube = [6]uint8{0, 95, 135, 175, 215, 255}

// variables appends what gives the colours their names.
func (c *colors) variables(dst []byte) []byte {
	dst = fmt.Appendf(dst, "--fore:%s;--back:%s", c.fore, c.back)
	for i, color := range c.palette {
		dst = fmt.Appendf(dst, ";--c%d:%s", i, color)
	}
	return dst
}

// style appends the rules of a theme.
func (t Theme) style(dst []byte) []byte {
	first := &light
	if t == Dark {
		first = &dark
	}
	dst = append(first.variables(append(dst, "svg{"...)), '}')
	if t == Auto {
		dst = append(dst, "@media(prefers-color-scheme:dark){svg{"...)
		dst = append(dark.variables(dst), "}}"...)
	}
	return dst
}
