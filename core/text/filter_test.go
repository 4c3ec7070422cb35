package text_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terrarium-dev/terrarium/core/text"
	"github.com/terrarium-dev/terrarium/core/vt"
)

// filtered returns what passes of the chunks, and what puts the terminal back.
func filtered(keys bool, chunks ...string) (out, undo string) {
	f := text.Filter{Keys: keys}
	var b []byte
	for _, c := range chunks {
		b = f.Append(b, []byte(c))
	}
	return string(b), string(f.Finish(nil))
}

func TestFilter(t *testing.T) {
	for _, tt := range []struct{ name, in, want, undo string }{
		{"text", "a\tb\r\n世界\a\b", "a\tb\r\n世界\a\b", ""},
		{"invalid UTF-8", "a\xffb\xe4\xb8", "a\uFFFDb", "\uFFFD"},
		{"colours", "\x1b[1;31mred\x1b[0m \x1b[38:2::1:2:3mx", "\x1b[1;31mred\x1b[m \x1b[38:2::1:2:3mx", "\x1b[m"},
		{"moves", "\x1b[H\x1b[2J\x1b[K\x1b[;5H\x1b[10;1H\x1b[3A\x1b7\x1b8\x1bM", "\x1b[H\x1b[2J\x1b[K\x1b[0;5H\x1b[10;1H\x1b[3A\x1b7\x1b8\x1bM", ""},
		{"C1 controls", "a\u0085b\u008dc\u009b31md\u0090x\u009ce\u0088", "a\x1bEb\x1bMc\x1b[31md" + "e", "\x1b[m"},

		{"clipboard", "a\x1b]52;c;ZXZpbA==\ab\x1b]52;c;?\x1b\\c", "abc", ""},
		// The grammar has no ESC k, which is tmux's.
		{"titles", "a\x1b]0;t\ab\x1b]1;t\ac\x1b]2;t\x1b\\d\x1bkt\x1b\\e", "abcdte", ""},
		{"colour queries", "a\x1b]4;1;?\ab\x1b]10;?\a\x1b]11;?\x1b\\\x1b]12;?\ac", "abc", ""},
		{"other commands", "a\x1b]7;file:///\a\x1b]9;hi\a\x1b]133;A\a\x1b]777;x\a\x1b]1337;File=x\ab", "ab", ""},
		{"window reports", "a\x1b[20t\x1b[21t\x1b[18t\x1b[3;0;0t\x1b[22;0;0tb", "ab", ""},
		{"device reports", "a\x1b[c\x1b[>c\x1b[=c\x1b[5n\x1b[6n\x1b[?6n\x1b[x\x1bZ\x05b", "ab", ""},
		{"mode reports", "a\x1b[?25$p\x1b[4$p\x1b[>q\x1b[?u\x1b[>1u\x1b[?mb\x1b[>4;1mc", "abc", ""},
		{"strings", "a\x1bP$qm\x1b\\b\x1bP+q544e\x1b\\c\x1b_Gx\x1b\\d\x1b^x\x1b\\e\x1bXx\x1b\\f\x1bPq#0~\x1b\\g", "abcdefg", ""},
		{"printer", "a\x1b[5i\x1b[?5i\x1b[4ib", "ab", ""},
		{"what was there", "a\x1b[3J\x1bc\x1b[!p\x1b#8\x1b%@\x1b[0;3Jb", "ab", ""},
		{"tab stops", "a\x1bHb\x1b[3gc", "abc", ""},
		{"disguises", "a\x1b[2\x05\x18\x1b[21\x1b]52;c;?\ab\x1b]52;c;x\x18c\u009d52;c;x\u009cd", "abcd", ""},
		{"subparameters", "a\x1b[:Hb\x1b[1:5Hc\x1b[2:3rd\x1b[:fe", "abcde", ""},
		{"a flood from a few bytes", "a\x1b[60000bb\x1b[9bc", "ab\x1b[9bc", ""},

		{"alternate screen", "\x1b[?1049h\x1b[?25lx", "\x1b[?1049h\x1b[?25lx", "\x1b[?1049l\x1b[?25h"},
		{"and back", "\x1b[?1049h\x1b[?25lx\x1b[?25h\x1b[?1049l", "\x1b[?1049h\x1b[?25lx\x1b[?25h\x1b[?1049l", ""},
		{"modes in one", "\x1b[?7;12;25l", "\x1b[?7l\x1b[?25l", "\x1b[?7h\x1b[?25h"},
		{"unknown modes", "\x1b[?6h\x1b[?69h\x1b[?3h\x1b[?1001h\x1b[20h\x1b[2h\x1b[?9h", "", ""},
		{"scroll region", "\x1b[2;5rx", "\x1b[2;5rx", "\x1b7\x1b[r\x1b8"},
		{"scroll region and back", "\x1b[2;5rx\x1b[r", "\x1b[2;5rx\x1b[r", ""},
		{"line drawing", "\x1b(0lqk\x1b(B\x0ex\x0f", "\x1b(0lqk\x1b(B\x0ex\x0f", "\x1b(B\x1b)B\x0f"},
		{"insert", "\x1b[4hx", "\x1b[4hx", "\x1b[4l"},
		{"cursor shape", "\x1b[5 qx", "\x1b[5 qx", "\x1b[0 q"},
		{"an unfinished sequence", "x\x1b]8;;http://a", "x", ""},

		{"link", "\x1b]8;id=1;https://a.example/?b\aa\x1b]8;;\ab", "\x1b]8;id=1;https://a.example/?b\x1b\\a\x1b]8;;\x1b\\b", ""},
		{"open link", "\x1b]8;;HTTP://a\aa", "\x1b]8;;HTTP://a\x1b\\a", "\x1b]8;;\x1b\\"},
		{"link elsewhere", "\x1b]8;;file:///etc\aa\x1b]8;;x-run:b\ab\x1b]8;;\ac", "abc", ""},
		{"link in a link", "\x1b]8;;http://a\aa\x1b]8;;file:///b\ab", "\x1b]8;;http://a\x1b\\a\x1b]8;;\x1b\\b", ""},
		{"odd link", "\x1b]8;;http://é\aa\x1b]8;x\ab\x1b]8;;http://" + strings.Repeat("a", 3000) + "\ac", "abc", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, chunks := range [][]string{{tt.in}, strings.Split(tt.in, "")} {
				if out, undo := filtered(false, chunks...); out != tt.want || undo != tt.undo {
					t.Errorf("%q in %d chunks: got %q and then %q, want %q and %q", tt.in, len(chunks), out, undo, tt.want, tt.undo)
				}
			}
		})
	}
}

// TestFilterKeys: what makes a terminal send more than keys passes only where the
// command gets that.
func TestFilterKeys(t *testing.T) {
	const in = "\x1b[?1h\x1b=\x1b[?1000;1006h\x1b[?1004h\x1b[?2004hx\x1b[?2004l"
	if out, undo := filtered(false, in); out != "x" || undo != "" {
		t.Errorf("without: got %q and then %q", out, undo)
	}
	const want = "\x1b[?1h\x1b=\x1b[?1000h\x1b[?1006h\x1b[?1004h\x1b[?2004hx\x1b[?2004l"
	const wantUndo = "\x1b[?1l\x1b[?1000l\x1b[?1006l\x1b[?1004l\x1b>"
	if out, undo := filtered(true, in); out != want || undo != wantUndo {
		t.Errorf("with: got %q and then %q, want %q and %q", out, undo, want, wantUndo)
	}
}

// drawnOtherwise are recordings that look different, because of what is dropped.
var drawnOtherwise = map[string]string{
	"a-bs-reverse-wrap": "private mode 45",
	"a-dec-selerase":    "DECSCA and DECSED",
	"a-decaln":          "DECALN",
	"a-decom-origin":    "DECOM",
	"a-el-variants":     "DECSEL",
}

// TestFilterDraws: what real programs draw looks the same.
func TestFilterDraws(t *testing.T) {
	dir := filepath.Join("..", "vt", "testdata", "corpus")
	index, err := os.ReadFile(filepath.Join(dir, "index.json"))
	if err != nil {
		t.Fatal(err)
	}
	var corpus struct{ Rows, Cols int }
	if err := json.Unmarshal(index, &corpus); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "rec", "*.bin"))
	if err != nil || len(files) == 0 {
		t.Fatalf("got %d recordings, %v", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".bin")
		in, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		look := func(p []byte) string {
			s := vt.NewScreen(vt.Options{Rows: corpus.Rows, Cols: corpus.Cols})
			var r text.Repairer
			for len(p) > 0 {
				var valid []byte
				valid, p = r.Next(p)
				s.Write(valid)
			}
			return string(s.AppendText(nil))
		}
		diff := cmp.Diff(look(in), look(new(text.Filter).Append(nil, in)))
		if reason := drawnOtherwise[name]; (diff != "") != (reason != "") {
			t.Errorf("%s (-whole +filtered, want a difference: %q):\n%s", name, reason, diff)
		}
	}
}

// passes is the grammar of what a Filter lets through.
var passes = regexp.MustCompile("^(?:" + strings.Join([]string{
	`[^\x00-\x1f\x7f-\x{9f}]`, `[\a-\r\x0e\x0f]`,
	`\x1b[78DEM=>]`, `\x1b[()][0AB]`,
	`\x1b\[[0-9]*[@A-GILMPSTXZ` + "`" + `adesu]`, `\x1b\[[0-9]*(?:;[0-9]*)?[Hfr]`, `\x1b\[[0-9]{0,4}b`, `\x1b\[[12]?[JK]`,
	`\x1b\[[0-9:;]*m`, `\x1b\[[0-9]* q`, `\x1b\[4[hl]`,
	`\x1b\[\?(?:1|5|7|25|47|66|1000|1002|1003|1004|1006|1047|1049|2004|2026)[hl]`,
	`\x1b\]8;[ -~]*;(?i:http://|https://|mailto:)[ -~]*\x1b\\`, `\x1b\]8;[ -~]*;\x1b\\`,
}, "|") + ")*$")

// FuzzFilter: only what is on the list passes, whatever the chunks; it passes
// again as it is; and in the end a terminal is as it was.
func FuzzFilter(f *testing.F) {
	for _, p := range pieces {
		f.Add([]byte(p), []byte(p), true)
	}
	f.Add([]byte("\x1b[?1049;25l\x1b]52;c;"), []byte("?\a\x1b[21t\x1b[3;4r\x05\xc2\x9b6n\xe4\xb8"), true)
	f.Add([]byte("\x1b[4h\x1b(0\x0e\x1b[?1003;1006h\x1b[3 q\x1b]8;;http://a"), []byte("\x1b\\x\x1b[38:5:1m"), false)
	f.Add([]byte("\x1b[:H"), []byte("\x1b["), true)
	f.Fuzz(func(t *testing.T, a, b []byte, keys bool) {
		whole, undo := filtered(keys, string(a)+string(b))
		if pieces, undoToo := filtered(keys, string(a), string(b)); pieces != whole || undoToo != undo {
			t.Fatalf("%q, %q: got %q and then %q in pieces, want %q and %q", a, b, pieces, undoToo, whole, undo)
		}
		if !passes.MatchString(whole) || !passes.MatchString(undo) {
			t.Fatalf("%q, %q: got %q and then %q, which has more than may pass", a, b, whole, undo)
		}
		if again, _ := filtered(keys, whole); again != whole {
			t.Fatalf("%q, %q: got %q when filtered again, want %q", a, b, again, whole)
		}
		s := vt.NewScreen(vt.Options{Rows: 5, Cols: 9, Replies: true})
		fresh := s.Modes()
		s.Write([]byte(whole + undo))
		got := s.Modes()
		if got.CursorShape, got.CursorBlink = fresh.CursorShape, fresh.CursorBlink; got != fresh || s.Alt() || s.Synchronized() {
			t.Fatalf("%q, %q: after %q and %q: got modes %+v, alternate screen %v", a, b, whole, undo, got, s.Alt())
		}
		if reply := s.TakeReplies(nil); len(reply) > 0 || s.Title() != "" || s.IconName() != "" || s.Dir() != "" {
			t.Fatalf("%q, %q: a terminal answers %q, its title is %q", a, b, reply, s.Title())
		}
		s.Write([]byte("\x1b[2J\x1b[Hq")) // in plain style and ASCII, or the command's is left
		plain := vt.NewScreen(vt.Options{Rows: 5, Cols: 9})
		plain.Write([]byte("q"))
		for run := range s.Runs(0) {
			for want := range plain.Runs(0) {
				if run.Style != want.Style || string(run.Text) != string(want.Text) {
					t.Fatalf("%q, %q: after %q and %q: q looks like %q %+v", a, b, whole, undo, run.Text, run.Style)
				}
				break
			}
			break
		}
	})
}
