package picture

import (
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core/vt"
)

func draw(t *testing.T, rows, cols int, output string, c Config) string {
	t.Helper()
	s := vt.NewScreen(vt.Options{Rows: rows, Cols: cols})
	s.Write([]byte(output))
	var b strings.Builder
	if err := SVG(&b, s, rows, c); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// elements returns the rectangles and texts of an image, without the first one, which is behind
// all.
func elements(image string) []string {
	return regexp.MustCompile(`(?m)^<(?:rect|text).*$`).FindAllString(image, -1)[1:]
}

func TestSVG(t *testing.T) {
	text := func(x, width, style, text string) string {
		return `<text x="` + x + `" y="25.5" textLength="` + width + `" lengthAdjust="spacingAndGlyphs" style="fill:` + style + `">` + text + `</text>`
	}
	rect := func(x, width, style string) string {
		return `<rect x="` + x + `" y="12" width="` + width + `" height="18" style="` + style + `"/>`
	}
	for _, test := range []struct {
		name, output string
		want         []string
	}{
		{"plain", "a b", []string{text("12", "25.2", "var(--fore)", "a b")}},
		{"markup", `<&">`, []string{text("12", "33.6", "var(--fore)", "&lt;&amp;&quot;&gt;")}},
		{"one of 16", "\x1b[31mr\x1b[92mg", []string{text("12", "8.4", "var(--c1)", "r"), text("20.4", "8.4", "var(--c10)", "g")}},
		{"one of 256", "\x1b[38;5;16ma\x1b[38;5;231mb\x1b[38;5;110mc\x1b[38;5;232md\x1b[38;5;255me", []string{
			text("12", "8.4", "#000000", "a"), text("20.4", "8.4", "#ffffff", "b"), text("28.8", "8.4", "#87afd7", "c"),
			text("37.2", "8.4", "#080808", "d"), text("45.6", "8.4", "#eeeeee", "e"),
		}},
		{"any colour", "\x1b[38;2;1;2;255mx", []string{text("12", "8.4", "#0102ff", "x")}},
		{"behind", "\x1b[44m \x1b[0mx", []string{rect("12", "8.4", "fill:var(--c4)"), text("20.4", "8.4", "var(--fore)", "x")}},
		{"inverse", "\x1b[7mx", []string{rect("12", "8.4", "fill:var(--fore)"), text("12", "8.4", "var(--back)", "x")}},
		{"invisible", "\x1b[8msecret", nil},
		{"faces", "\x1b[1;2;3mx", []string{text("12", "8.4", "var(--fore);font-weight:bold;font-style:italic;opacity:.6", "x")}},
		{"lines", "\x1b[4:3;53;9;58;5;1m ", []string{text("12", "8.4", "var(--fore);text-decoration:underline overline line-through wavy var(--c1)", " ")}},
		{"wide", "漢x", []string{text("12", "25.2", "var(--fore)", "漢x")}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := elements(draw(t, 1, 20, test.output, Config{}))
			if strings.Join(got, "\n") != strings.Join(test.want, "\n") {
				t.Errorf("got %s, want %s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
		})
	}
}

// TestCursor draws the cursor only where it can be seen.
func TestCursor(t *testing.T) {
	const cursor = `style="fill:var(--fore);opacity:.5"`
	for output, want := range map[string]string{
		"ab": `<rect x="28.8" y="12" width="8.4" height="18" ` + cursor,
		// in the last column, and not beyond
		"abcd":       `<rect x="37.2" y="12" width="8.4" height="18" ` + cursor,
		"\x1b[?25l":  "",
		"a\r\nb\r\n": "", // in a row that is not drawn
	} {
		s := vt.NewScreen(vt.Options{Rows: 3, Cols: 4})
		s.Write([]byte(output))
		var b strings.Builder
		if err := SVG(&b, s, 2, Config{Cursor: true}); err != nil {
			t.Fatal(err)
		}
		if got := b.String(); want == "" && strings.Contains(got, cursor) || !strings.Contains(got, want) {
			t.Errorf("%q: got %s, want %s", output, got, want)
		}
	}
}

func TestThemes(t *testing.T) {
	for theme, want := range map[Theme][2]bool{"": {true, true}, Auto: {true, true}, Light: {true, false}, Dark: {false, true}} {
		image := draw(t, 1, 10, "x", Config{Theme: theme})
		if got := [2]bool{strings.Contains(image, light.back), strings.Contains(image, dark.back)}; got != want {
			t.Errorf("%s: got light and dark %v, want %v", theme, got, want)
		}
	}
}

// FuzzSVG draws whatever programs write: the image is always well-formed, and has no element but
// ours.
func FuzzSVG(f *testing.F) {
	f.Add("a\x1b[1;31mb<script>\x1b]8;;javascript:x\aq\x1b]8;;\a", "</title>")
	f.Add("\x1b(0lqk\x1b[2;2H漢\x1b[7m👩‍👩‍👧\u0301", "\x00\uFFFF")
	f.Fuzz(func(t *testing.T, output, title string) {
		output = strings.ToValidUTF8(output, "\uFFFD")
		image := draw(t, 5, 20, output, Config{Title: title, Cursor: true})
		for d := xml.NewDecoder(strings.NewReader(image)); ; {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				t.Fatalf("%v in %s", err, image)
			}
			if e, ok := token.(xml.StartElement); ok && !strings.Contains(" svg title style rect text ", " "+e.Name.Local+" ") {
				t.Fatalf("got <%s> in %s", e.Name.Local, image)
			}
		}
	})
}

// A screen in which each cell has another style is drawn up to a size, and refused beyond it.
func TestTooManyStyles(t *testing.T) {
	cells := strings.Repeat("\x1b[31ma\x1b[32mb", maxRuns/2)
	s := vt.NewScreen(vt.Options{Rows: maxRuns/1000 + 1, Cols: 1000})
	s.Write([]byte(cells))
	rows, _ := s.Size()
	if err := SVG(io.Discard, s, rows-1, Config{}); err != nil {
		t.Errorf("%d pieces: got %v", maxRuns, err)
	}
	s.Write([]byte("\x1b[31mc"))
	var b strings.Builder
	if err := SVG(&b, s, rows, Config{}); err != ErrTooManyStyles || b.Len() > 0 {
		t.Errorf("one more: got %v and %d bytes, want %v and none", err, b.Len(), ErrTooManyStyles)
	}
}
