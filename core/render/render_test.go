package render_test

import (
	"testing"

	"github.com/terrarium-dev/terrarium/core/render"
	"github.com/terrarium-dev/terrarium/core/text"
	"github.com/terrarium-dev/terrarium/core/vt"
)

// renderings are all that there are, each with what it makes of written.
var renderings = []struct {
	name string
	new  func() render.Renderer
	want string
}{
	{"raw", func() render.Renderer { return render.Raw{} }, "10%\r\x1b[31m99%\r\none\r\ntwo \uFFFD\r\nthree\uFFFD"},
	{"text", func() render.Renderer { return new(text.Folder) }, "99%\none\ntwo \uFFFD\nthree\uFFFD"},
	{"screen", func() render.Renderer {
		return render.NewScreen(vt.Options{Rows: 2, Cols: 10})
	}, "99%\none\ntwo \uFFFD\nthree\uFFFD\n"},
}

const written = "10%\r\x1b[31m99%\r\none\r\ntwo \xff\r\nthree\xe2\x82"

// TestStream cuts output at every byte: what is kept and what is open are together the
// same, and nothing is told twice.
func TestStream(t *testing.T) {
	for _, r := range renderings {
		for cut := range len(written) + 1 {
			s := render.NewStream(r.new())
			var got render.Buffer
			s.Write(&got, 1, []byte(written[:cut]))
			s.Write(&got, 1, []byte(written[cut:]))
			before := string(s.AppendOpen([]byte(got)))
			s.Flush(&got)
			if string(got) != r.want {
				t.Errorf("%s, cut at %d: got %q, want %q", r.name, cut, got, r.want)
			}
			if len(before) > len(got) {
				t.Errorf("%s, cut at %d: got %q before the end, %q after it", r.name, cut, before, got)
			}
		}
	}
}

// TestEnd: what is left of a character is written, and the renderer keeps what is open.
func TestEnd(t *testing.T) {
	s := render.NewStream(render.NewScreen(vt.Options{Rows: 2, Cols: 2}))
	var got render.Buffer
	s.Write(&got, 1, []byte("a\r\nbc\xe2\x82"))
	s.End(&got)
	if open := string(s.AppendOpen(nil)); string(got) != "a\n" || open != "bc\uFFFD\n" {
		t.Errorf("got %q scrolled out and %q open, want %q and %q", got, open, "a\n", "bc\uFFFD\n")
	}
}

// TestStreamsApart: a character that one stream has begun is not the other's.
func TestStreamsApart(t *testing.T) {
	s := render.NewStream(render.Raw{})
	var got render.Buffer
	s.Write(&got, 1, []byte("\xe2\x82"))
	s.Write(&got, 2, []byte("x"))
	s.Write(&got, 1, []byte("\xac"))
	s.Flush(&got)
	if string(got) != "x€" {
		t.Errorf("got %q, want %q", got, "x€")
	}
}

func TestOpenLen(t *testing.T) {
	for _, r := range renderings {
		one := r.new()
		if n := one.OpenLen(); n != 0 {
			t.Errorf("%s: got %d bytes open at first, want none", r.name, n)
		}
		var got render.Buffer
		one.Write(&got, []byte("one\r\ntwo"))
		if n, open := one.OpenLen(), one.AppendOpen(nil); n != len(open) {
			t.Errorf("%s: got %d bytes open, want those of %q", r.name, n, open)
		}
	}
}

// TestScreenResize: lines that a change of size scrolls out go where the others went.
func TestScreenResize(t *testing.T) {
	s := render.NewScreen(vt.Options{Rows: 24, Cols: 80})
	s.Resize(3, 10)
	var got render.Buffer
	s.Write(&got, []byte("one\r\ntwo\r\nthree"))
	if len(got) > 0 {
		t.Errorf("got %q scrolled out of 3 rows, want nothing", got)
	}
	s.Resize(1, 10)
	if string(got) != "one\ntwo\n" {
		t.Errorf("got %q scrolled out, want %q", got, "one\ntwo\n")
	}
}
