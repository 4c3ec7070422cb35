package vt

import "iter"

// A Run is a part of a row that looks the same.
type Run struct {
	X, Width int    // its first column, and how many it takes
	Text     []byte // lent until the next run; spaces where cells are empty
	Style    Style
	Link     string // address of the hyperlink, "" if it is none
}

// Runs returns the runs of row y, from left to right: what a person sees, see
// [Screen.Synchronized]. Plain blanks at the end are left out. There are none if
// there is no such row. The Screen must not change in the meantime.
func (s *Screen) Runs(y int) iter.Seq[Run] {
	return func(yield func(Run) bool) {
		if y < 0 || y >= s.rows {
			return
		}
		r := s.seen(y)
		end := s.cols
		if r.rest == 0 {
			end = min(len(r.cells), s.cols)
			for end > 0 && r.cells[end-1] == 0 {
				end--
			}
		}
		var text []byte
		for x := 0; x < end; {
			run := Run{X: x}
			style := r.at(x).style()
			text = text[:0]
			for x < end && r.at(x).style() == style {
				c := r.at(x)
				if c.hasContent() {
					text = s.clusters.appendText(text, c)
				} else {
					text = append(text, ' ')
				}
				x += max(c.width(), 1)
			}
			x = min(x, s.cols)
			run.Width = x - run.X
			run.Text = text
			run.Style = s.styles.get(style)
			run.Link = s.links.get(run.Style.link)
			if !yield(run) {
				return
			}
		}
	}
}
