package screentest

import (
	"strings"
	"testing"
)

func TestParseWrong(t *testing.T) {
	for _, test := range []struct{ script, want string }{
		{"", "it starts nothing: want a line as in: start vi"},
		{"# only a comment\n\n", "it starts nothing"},
		{"start", "line 1: start: of what?"},
		{"start a\nstart b", "line 2: start after start"},
		{"start a\nsize 80x24", "line 2: size after start"},
		{"type x\nstart a", "line 1: type before start"},
		{"begin a", `line 1: unknown "begin": want one of ! expect key`},
		{"size 80\nstart a", `line 1: size: "80": want a size as in 80x24`},
		{"size ax24\nstart a", `line 1: size: "ax24": want a size as in 80x24`},
		{"start a\nresize", `line 2: resize: "": want a size as in 80x24`},
		{"size 100000x24\nstart a", "line 1: size: a terminal of 100000x24 cells"},
		{"start a\ntype", "line 2: type: of what?"},
		{`start a` + "\n" + `type "x`, `line 2: type: "x is not quoted as in Go`},
		{"start a\nkey", "line 2: key: which one?"},
		{"start a\nkey Enter Entre", `line 2: key: no key is called "Entre"`},
		{"start a\nresize 0x0", "line 2: resize: a terminal of 0x0 cells"},
		{"start a\nwait", "line 2: wait: of what?"},
		{"start a\nwait exit 256", "line 2: wait: exit 256: want a status from 0 to 255, or a signal"},
		{"start a\nwait exit soon", "line 2: wait: exit soon: want"},
		{"start a\n! wait x", "line 2: !: only of: expect TEXT"},
		{"start a\n! expect screen x", "line 2: !: only of: expect TEXT"},
		{"timeout 0s\nstart a", "line 1: timeout: not above 0"},
		{"timeout 5\nstart a", `line 1: timeout: "5": want a time with its unit`},
		{"start a\n-- ../x --\n", `file "../x": not below the script's directory`},
		{"start a\nexpect screen /etc/x\n", `file "/etc/x": not below`},
	} {
		if _, err := Parse([]byte(test.script)); err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%q: got %v, want %s…", test.script, err, test.want)
		}
	}
}

func TestParse(t *testing.T) {
	const script = "# about\ntimeout 1m\nsize 100x30\nstart a | b\n\n  type \"x\\t\"\nkey Enter C-c\nwait exit of the world\nwait exit SIGTERM\n" +
		"wait exit\nexpect screen new\nexpect screens\n-- old --\nx\n"
	s, err := Parse([]byte(script))
	if err != nil {
		t.Fatal(err)
	}
	if len(s.steps) != 10 || s.steps[3].line != 6 || s.steps[3].text != `type "x\t"` {
		t.Errorf("got %d steps, and %+v, want 10, and type in line 6", len(s.steps), s.steps[3])
	}
	if len(s.screens) != 1 || s.screens[0] != "new" {
		t.Errorf("got screens %q, want new", s.screens)
	}
	if got, err := s.Bytes(); err != nil || string(got) != script+"-- new --\n" {
		t.Errorf("got %q, %v, want the script with a new file", got, err)
	}
}

// TestBytes: a screen that would be several files is not written.
func TestBytes(t *testing.T) {
	s, err := Parse([]byte("start a\nexpect screen x\n-- x --\n"))
	if err != nil {
		t.Fatal(err)
	}
	s.archive.Files[0].Data = []byte("a\n-- b --\n")
	if got, err := s.Bytes(); err == nil {
		t.Errorf("got %q, want an error", got)
	}
}

func TestTrim(t *testing.T) {
	for text, want := range map[string]string{"": "", "\n \n": "", "a": "a\n", "a \t\r\n\n b\n\n": "a\n\n b\n"} {
		if got := trim(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// FuzzParse: whatever a script holds, there is an error or a script that runs, and Bytes has all of
// it.
func FuzzParse(f *testing.F) {
	f.Add([]byte("size 80x24\nstart a\ntype \"x\"\nkey Up\nwait exit 1\nexpect screen s\n! expect b\ntimeout 1s\nresize 2x1\n-- s --\nx\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := Parse(text)
		if err != nil {
			return
		}
		if again, err := s.Bytes(); err != nil {
			t.Errorf("%q: %v", again, err)
		}
	})
}
