// Package picture draws what a vt.Screen shows as an SVG image: https://www.w3.org/TR/SVG2/.
//
// Text stays text: it can be searched, copied and read aloud. The image has no script, loads
// nothing, and is well-formed whatever is on the screen.
package picture

// A Theme is what colours the terminal itself has.
type Theme string

const (
	Auto  Theme = "auto" // light or dark, as whoever looks at it prefers
	Light Theme = "light"
	Dark  Theme = "dark"
)

// Themes are those that there are.
var Themes = []string{string(Auto), string(Light), string(Dark)}
