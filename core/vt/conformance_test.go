package vt_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/terrarium-dev/terrarium/core/vt"
)

// fixtures returns the files of others' suites that match pattern in the folder
// that an environment variable names.
func fixtures(t *testing.T, env, pattern string) []string {
	t.Helper()
	dir := os.Getenv(env)
	if dir == "" {
		t.Skipf("NOT RUN: %s is not set", env)
	}
	files, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatalf("%s: no %s in %s", env, pattern, dir)
	}
	return files
}

// xtermSkips are the fixtures that xterm.js itself skips.
var xtermSkips = map[string]string{
	"t0055-EL":           "EL at the right margin is not xterm's",
	"t0084-CBT":          "CBT beyond the right margin is not xterm's",
	"t0101-NLM":          "LNM is not what the terminal driver makes of it",
	"t0103-reverse_wrap": "reverse wrap-around is not xterm's",
	"t0504-vim":          "it depends on what is in the screen before",
}

// TestXtermFixtures runs test/fixtures/escape_sequence_files of
// https://github.com/xtermjs/xterm.js, which TERRARIUM_XTERMJS_FIXTURES names.
func TestXtermFixtures(t *testing.T) {
	for _, file := range fixtures(t, "TERRARIUM_XTERMJS_FIXTURES", "*.in") {
		name := strings.TrimSuffix(filepath.Base(file), ".in")
		t.Run(name, func(t *testing.T) {
			if reason := xtermSkips[name]; reason != "" {
				t.Skip(reason)
			}
			// They are recorded behind a terminal driver, which makes LF CR LF.
			in := bytes.ReplaceAll(readFile(t, file), []byte("\n"), []byte("\r\n"))
			s := vt.NewScreen(vt.Options{Rows: 25, Cols: 80})
			s.Write(repair(in))
			want := trimText(readFile(t, strings.TrimSuffix(file, ".in")+".text"))
			if diff := cmp.Diff(want, trimText(s.AppendText(nil))); diff != "" {
				t.Errorf("screen (-want +got):\n%s", diff)
			}
		})
	}
}

// alacrittyDeviations are the recordings of which alacritty shows something
// else, and why.
var alacrittyDeviations = map[string]string{
	"decaln_reset":        "xterm.js takes DECRC to follow lines that scrolled out",
	"deccolm_reset":       "DECCOLM is off, as in xterm.js and xterm, so that it does not clear the screen",
	"saved_cursor":        "_ is no line drawing character in xterm.js, but a blank in alacritty",
	"saved_cursor_alt":    "the same, and the alternate screen has a saved cursor of its own in xterm.js",
	"selective_erasure":   "alacritty has no DECSCA, so that DECSED erases nothing",
	"wrapline_alt_toggle": "xterm.js has the cursor beyond the last column wherever it is put back",
}

// A grid is what alacritty writes down of its screen: rows in a ring, the last
// one at zero.
type grid struct {
	Raw struct {
		Zero  int
		Inner []struct {
			Inner []struct {
				C     string
				Flags string
				Extra *struct{ Zerowidth []string }
			}
		}
	}
}

func (g *grid) row(fromBottom int) string {
	var text strings.Builder
	for _, c := range g.Raw.Inner[(g.Raw.Zero+fromBottom)%len(g.Raw.Inner)].Inner {
		if strings.Contains(c.Flags, "WIDE_CHAR_SPACER") {
			continue
		}
		text.WriteString(c.C)
		if c.Extra != nil {
			text.WriteString(strings.Join(c.Extra.Zerowidth, ""))
		}
	}
	return strings.TrimRight(strings.ReplaceAll(text.String(), "\t", " "), " ")
}

// TestAlacrittyRecordings runs alacritty_terminal/tests/ref of
// https://github.com/alacritty/alacritty, which TERRARIUM_ALACRITTY_REF names.
func TestAlacrittyRecordings(t *testing.T) {
	same := 0
	for _, file := range fixtures(t, "TERRARIUM_ALACRITTY_REF", "*/grid.json") {
		dir := filepath.Dir(file)
		name := filepath.Base(dir)
		t.Run(name, func(t *testing.T) {
			var size struct {
				Columns int `json:"columns"`
				Lines   int `json:"screen_lines"`
			}
			if err := json.Unmarshal(readFile(t, filepath.Join(dir, "size.json")), &size); err != nil {
				t.Fatal(err)
			}
			var g grid
			if err := json.Unmarshal(readFile(t, file), &g); err != nil {
				t.Fatal(err)
			}
			var want []string
			for y := range size.Lines {
				want = append(want, g.row(size.Lines-1-y))
			}
			s := vt.NewScreen(vt.Options{Rows: size.Lines, Cols: size.Columns})
			s.Write(repair(readFile(t, filepath.Join(dir, "alacritty.recording"))))
			diff := cmp.Diff(trimText([]byte(strings.Join(want, "\n"))), trimText(s.AppendText(nil)))
			switch reason := alacrittyDeviations[name]; {
			case diff == "" && reason != "":
				t.Errorf("is listed as a deviation, but is none")
			case diff == "":
				same++
			case reason != "":
				t.Skipf("decided otherwise: %s", reason)
			default:
				t.Errorf("screen (-want +got):\n%s", diff)
			}
		})
	}
	if same < 37 {
		t.Errorf("got %d recordings as alacritty shows them, want 37 at least", same)
	}
}
