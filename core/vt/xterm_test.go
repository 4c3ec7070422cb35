package vt_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/terrarium-dev/terrarium/core/vt"
)

var xtermCases = flag.Uint64("xterm", usualCases(), "how many streams each comparison with xterm.js takes")

func usualCases() uint64 {
	if os.Getenv("TERRARIUM_LONG") != "" {
		return 2000
	}
	return 500
}

// xterm is xterm.js in a process of node.
type xterm struct {
	t   testing.TB
	in  *json.Encoder
	out *json.Decoder
}

// startXterm starts node, or skips the test where it or xterm.js is not there.
func startXterm(t testing.TB) *xterm {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("NOT RUN: node is not installed")
	}
	modules := os.Getenv("TERRARIUM_NODE_MODULES")
	if modules == "" {
		modules = filepath.Join("..", "..", "tests", "node_modules")
	}
	modules, err = filepath.Abs(modules)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(modules, "@xterm", "headless")); err != nil {
		t.Skip("NOT RUN: @xterm/headless is not in TERRARIUM_NODE_MODULES, nor in tests/node_modules (run npm ci there)")
	}
	cmd := exec.Command(node, filepath.Join("testdata", "xterm.js"), modules)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		cmd.Wait()
	})
	return &xterm{t: t, in: json.NewEncoder(in), out: json.NewDecoder(bufio.NewReader(out))}
}

// A step is something that happens to a screen: output, or else a new size.
type step struct {
	Write  []byte  `json:"write,omitempty"`
	Resize *[2]int `json:"resize,omitempty"` // rows, cols
}

// A shown screen is what can be compared.
type shown struct {
	Rows    []shownRow `json:"rows"`
	X       int        `json:"x"`
	Y       int        `json:"y"`
	Alt     bool       `json:"alt"`
	History []string   `json:"history"`
	Error   string     `json:"error"`
}

type shownRow struct {
	Text   string   `json:"text"`
	Styles []string `json:"styles"` // of each cell, but second places of wide ones
}

// ask writes value and reads the answer.
func (x *xterm) ask(value, answer any) {
	x.t.Helper()
	if err := x.in.Encode(value); err != nil {
		x.t.Fatal(err)
	}
	if err := x.out.Decode(answer); err != nil {
		x.t.Fatal(err)
	}
}

// show returns what xterm.js shows after steps.
func (x *xterm) show(rows, cols int, steps []step) shown {
	x.t.Helper()
	var s shown
	x.ask(map[string]any{"rows": rows, "cols": cols, "scrollback": 5000, "steps": steps}, &s)
	for _, step := range steps {
		if step.Resize != nil {
			cols = step.Resize[1]
		}
	}
	s.X = min(s.X, cols) // a character of no width can be beyond
	return comparable(s)
}

// manyJoiners are more than fit a cell of ours.
var manyJoiners = regexp.MustCompile("([\u200d\u00ad\u0301\u0308]{8})[\u200d\u00ad\u0301\u0308]*")

// comparable leaves out what need not be the same.
func comparable(s shown) shown {
	text := func(text string) string {
		return strings.TrimRight(manyJoiners.ReplaceAllString(text, "$1"), " ")
	}
	for i := range s.History {
		s.History[i] = text(s.History[i])
	}
	for i := range s.Rows {
		s.Rows[i].Text = text(s.Rows[i].Text)
	}
	return s
}

// show returns what our Screen shows after steps.
func show(rows, cols int, steps []step) (shown, *vt.Screen) {
	s := vt.NewScreen(vt.Options{Rows: rows, Cols: cols})
	for _, step := range steps {
		if step.Resize != nil {
			s.Resize(step.Resize[0], step.Resize[1])
		} else {
			s.Write(step.Write)
		}
	}
	return showScreen(s), s
}

func showScreen(s *vt.Screen) shown {
	s.EndSynchronized() // xterm.js holds back drawing, not its buffer
	c := s.Cursor()
	out := shown{X: c.X, Y: c.Y, Alt: s.Alt(), History: []string{}}
	rows, _ := s.Size()
	for y := range rows {
		out.Rows = append(out.Rows, shownRow{Text: string(s.AppendRow(nil, y)), Styles: styles(s, y)})
	}
	first, end := s.History()
	for n := first; n < end; n++ {
		out.History = append(out.History, strings.TrimSuffix(string(s.AppendHistory(nil, n, n+1, false)), "\n"))
	}
	return comparable(out)
}

// styles returns the style of each cell of row y, as style in xterm.js does.
func styles(s *vt.Screen, y int) []string {
	out := []string{}
	s.EachCell(y, func(text []byte, st vt.Style) { out = append(out, style(st, len(text) > 0)) })
	for len(out) > 0 && out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	return out
}

func style(st vt.Style, text bool) string {
	color := func(name string, c vt.Color) string {
		if n, ok := c.Palette(); ok {
			return fmt.Sprintf("%spal%d ", name, n)
		}
		if r, g, b, ok := c.RGB(); ok {
			return fmt.Sprintf("%srgb%d ", name, int(r)<<16|int(g)<<8|int(b))
		}
		return ""
	}
	out := color("bg", st.Bg)
	if !text {
		return out
	}
	out = color("fg", st.Fg) + out
	for i, name := range []string{"Bold", "Dim", "Ital", "Blin", "Inve", "Invi", "Stri", "Over"} {
		if st.Attr>>i&1 != 0 {
			out += name
		}
	}
	if st.Attr.Underline() != vt.NoUnderline {
		out += "u"
	}
	return out
}

// forCases calls f with each case.
func forCases(t *testing.T, f func(seed uint64) bool) {
	t.Helper()
	skipped := 0
	for seed := uint64(1); seed <= *xtermCases; seed++ {
		if !f(seed) {
			skipped++
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	t.Logf("%d cases, of which xterm.js threw an error for %d", *xtermCases, skipped)
}

func stepsString(steps []step) string {
	var b strings.Builder
	for _, step := range steps {
		if step.Resize != nil {
			fmt.Fprintf(&b, "resize %v\n", *step.Resize)
		} else {
			fmt.Fprintf(&b, "%q\n", step.Write)
		}
	}
	return b.String()
}

// TestXterm compares the screen with that of xterm.js.
func TestXterm(t *testing.T) {
	x := startXterm(t)
	forCases(t, func(seed uint64) bool {
		rows, cols := 2+int(seed)%9, 2+int(seed*7)%23
		steps := []step{{Write: newGenerator(seed, rows, cols).stream(1 + int(seed)%60)}}
		want := x.show(rows, cols, steps)
		if want.Error != "" {
			return false
		}
		got, _ := show(rows, cols, steps)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%dx%d, %s(-xterm.js +got):\n%s", rows, cols, stepsString(steps), diff)
		}
		return true
	})
}

// TestXtermCorpus compares recorded programs, and what AppendEscapes makes of
// them.
func TestXtermCorpus(t *testing.T) {
	x := startXterm(t)
	c := readCorpus(t)
	for name := range c.Cases {
		t.Run(name, func(t *testing.T) {
			x := &xterm{t: t, in: x.in, out: x.out}
			in := repair(readFile(t, "testdata/corpus/rec/"+name+".bin"))
			steps := []step{{Write: in}}
			want := x.show(c.Rows, c.Cols, steps)
			got, s := show(c.Rows, c.Cols, steps)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-xterm.js +got):\n%s", diff)
			}
			again := x.show(c.Rows, c.Cols, []step{{Write: s.AppendEscapes(nil, 1<<20)}})
			if diff := cmp.Diff(got, again); diff != "" {
				t.Errorf("AppendEscapes (-want +xterm.js):\n%s", diff)
			}
		})
	}
}

// TestXtermResize compares what resizing makes of the screen. Two cases in a
// hundred may differ: those of lines that were not laid out anew because the
// cursor was on them, which xterm.js takes to have been as wide as the screen
// the next time, and of the alternate screen, of which it keeps what is out of
// sight. Wide characters are left out, since it counts rows wrong where they do
// not fit.
func TestXtermResize(t *testing.T) {
	x := startXterm(t)
	n, bad := 0, 0
	forCases(t, func(seed uint64) bool {
		rows, cols := 2+int(seed)%9, 2+int(seed*7)%23
		g := newGenerator(seed, rows, cols)
		steps := []step{{Write: g.lines()}}
		for range 1 + g.IntN(3) {
			size := [2]int{1 + g.IntN(10), 2 + g.IntN(30)}
			steps = append(steps, step{Resize: &size}, step{Write: g.lines()})
		}
		want := x.show(rows, cols, steps)
		if want.Error != "" {
			return false
		}
		got, _ := show(rows, cols, steps)
		// The history is laid out anew when it comes back, not before.
		want.History, got.History = nil, nil
		n++
		if diff := cmp.Diff(want, got); diff != "" {
			bad++
			if testing.Verbose() {
				t.Logf("seed %d: %dx%d, %s(-xterm.js +got):\n%s", seed, rows, cols, stepsString(steps), diff)
			}
		}
		return true
	})
	t.Logf("%d of %d cases differ", bad, n)
	if bad*50 > n {
		t.Errorf("%d of %d cases differ, want 1 of 50 at most", bad, n)
	}
}

// TestXtermEscapes feeds AppendEscapes to xterm.js, and to a new Screen.
func TestXtermEscapes(t *testing.T) {
	x := startXterm(t)
	forCases(t, func(seed uint64) bool {
		rows, cols := 2+int(seed)%9, 2+int(seed*7)%23
		g := newGenerator(seed, rows, cols)
		// Without autowrap a wide character can get where none can be printed.
		in := bytes.ReplaceAll(g.stream(1+int(seed)%60), []byte("\x1b[?7l"), nil)
		_, s := show(rows, cols, []step{{Write: in}})
		if s.Cursor().X == cols {
			s.Write([]byte("\x18\r")) // to get there a blank must be printed, which can show
		}
		escapes := s.AppendEscapes(nil, 0)
		checkEscapes(t, x, s, in, escapes, nil)
		// NUL and SI, for what joins the last character is lost, and the charset that DECRC brought
		// back.
		more := append([]byte{0, 0x0f}, g.stream(5)...)
		// ED 3 leaves a cursor that was saved before rows scrolled out somewhere else.
		more = bytes.ReplaceAll(more, []byte("3J"), []byte("2J"))
		checkEscapes(t, x, s, in, escapes, more)
		return true
	})
}

// checkEscapes checks that new screens show what s does after escapes and more.
// s is the screen after in.
func checkEscapes(t *testing.T, x *xterm, s *vt.Screen, in, escapes, more []byte) {
	t.Helper()
	rows, cols := s.Size()
	steps := []step{{Write: escapes}, {Write: more}}
	s.Write(more)
	want := showScreen(s)
	theirs := x.show(rows, cols, steps)
	ours, _ := show(rows, cols, steps)
	for _, screen := range []*shown{&want, &theirs, &ours} {
		screen.History = nil
		for y := range screen.Rows {
			if more != nil {
				// Half of a wide cell cannot be printed, and what is drawn over it can show.
				screen.Rows[y].Styles = nil
			}
		}
	}
	if theirs.Error != "" {
		return
	}
	if diff := cmp.Diff(want, theirs); diff != "" {
		t.Errorf("%dx%d\n%q\n%q\n%q (-want +xterm.js):\n%s", rows, cols, in, escapes, more, diff)
	}
	if diff := cmp.Diff(want, ours); diff != "" {
		t.Errorf("%dx%d\n%q\n%q\n%q (-want +got):\n%s", rows, cols, in, escapes, more, diff)
	}
}
