package keys_test

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core/keys"
)

// typed stands for "no key of that name".
const typed = "typed"

func lookup(name string, m keys.Modes) string {
	sent, ok := keys.Lookup(name, m)
	if !ok {
		return typed
	}
	return hex.EncodeToString(sent)
}

// What tmux 3.3a sends. TestTmux measures the same where tmux is installed.
func TestPlain(t *testing.T) {
	for names, want := range map[string]string{
		"Enter ENTER enter": "0d", "Space": "20", "Tab": "09", "BTab": "1b5b5a", "Escape": "1b", "BSpace": "7f",
		"IC Insert": "1b5b327e", "DC Delete": "1b5b337e", "Home": "1b5b317e", "End": "1b5b347e",
		"PPage PageUp PgUp": "1b5b357e", "NPage PageDown PgDn": "1b5b367e",
		"F1": "1b4f50", "F2": "1b4f51", "F3": "1b4f52", "F4": "1b4f53", "F5": "1b5b31357e", "F6": "1b5b31377e",
		"F7": "1b5b31387e", "F8": "1b5b31397e", "F9": "1b5b32307e", "F10": "1b5b32317e", "F11": "1b5b32337e", "F12": "1b5b32347e",
		"KPEnter": "0a", "KP0": "30", "KP9 kp9": "39", "KP/": "2f", "KP.": "2e",

		"a": "61", "A": "41", "^": "5e", "-": "2d", ";": "3b", "é": "c3a9", "漢": "e6bca2",
		"0x41": "41", "0xe9 0xE9": "c3a9", "0x1b": "1b", "0x0": "00", "0x1F600": "f09f9880",
		"0x 0xg 0x110000 0xD800 0x80 0X41 0x41z": typed,

		"C-a C-A c-a ^a ^A C-C-a": "01", "C-c ^C": "03", "C-z": "1a", "C-@ C-2 ^@ C-Space": "00", "C-[ ^[": "1b", `C-\`: "1c",
		"C-]": "1d", "C-^ C-6": "1e", "C-_ C-/ C--": "1f", "C-? ^?": "7f", "^M": "0d", "^J": "0a", "C-é": "c3a9",
		"C-1 C-3 C-4 C-5 C-7 C-8 C-9 C-0 C-, C-. C-= C-! C-' C-`": "", "C-Enter C-Tab C-Escape C-BTab C-BSpace C-KP5": "",
		"C-~ C-{ C-% C-\"": typed,

		"M-x m-x": "1b78", "M-A": "1b41", "M-1": "1b31", "M-.": "1b2e", "M-é": "1bc3a9", "C-M-a M-C-a ^M-a": "1b01",
		"M-Enter": "1b0d", "M-BTab": "1b1b5b5a", "M-Escape": "1b1b", "C-M-Space": "1b00", "M-KP5": "1b35",
		"S-a S-A S-1 C-S-a M-S-a S-Enter C-M-Enter C-S-Tab S-KP5": typed,

		"C-Left": "1b5b313b3544", "^Up": "1b5b313b3541", "C-M-S-Down": "1b5b313b3842", "S-Home": "1b5b313b3248", "M-End": "1b5b313b3346",
		"S-DC": "1b5b333b327e", "C-PPage": "1b5b353b357e", "M-S-F1": "1b5b313b3450", "C-F12": "1b5b32343b357e",

		"User0 User999 C-User0": "", "M-User7": "1b", "User User1000 user0 User1x": typed,
		"Return Esc Del Ins Backspace BackSpace Ctrl-C ctrl+c CR LF ESC F13 None Any FocusIn PasteStart MouseDown1Pane": typed,
		"C-cc M-xx C- M- S- UpUp x^C ^C^C X-a \u212APEnter":                                                             typed,
	} {
		for name := range strings.FieldsSeq(names) {
			if got := lookup(name, keys.Modes{}); got != want {
				t.Errorf("%s: got %s, want %s", name, got, want)
			}
		}
	}
	for _, text := range []string{"", "\n", "\x03", "Enter ", " Enter", "C-c\n", "C-c C-d", "ls\n", "C-\n", "\xff", "C-\xff"} {
		if got := lookup(text, keys.Modes{}); got != typed {
			t.Errorf("%q: got %s, want it typed", text, got)
		}
	}
}

// What the Term Challenge names, and its kits for agents.
func TestTermChallenge(t *testing.T) {
	for name, want := range map[string]string{
		"C-a": "01", "C-c": "03", "C-d": "04", "C-e": "05", "C-k": "0b", "C-l": "0c", "C-r": "12", "C-u": "15", "C-w": "17", "C-z": "1a",
		"Escape": "1b", "Tab": "09", "BSpace": "7f", "DC": "1b5b337e", "Enter": "0d",
		"Up": "1b5b41", "Down": "1b5b42", "Left": "1b5b44", "Right": "1b5b43",
		"Home": "1b5b317e", "End": "1b5b347e", "PPage": "1b5b357e", "NPage": "1b5b367e",
	} {
		if got := lookup(name, keys.Modes{}); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

func TestModes(t *testing.T) {
	for _, test := range []struct{ name, plain, cursor, keypad string }{
		{"Up", "1b5b41", "1b4f41", "1b5b41"},
		{"Down", "1b5b42", "1b4f42", "1b5b42"},
		{"Right", "1b5b43", "1b4f43", "1b5b43"},
		{"Left", "1b5b44", "1b4f44", "1b5b44"},
		{"C-Up", "1b5b313b3541", "1b5b313b3541", "1b5b313b3541"},
		{"Home", "1b5b317e", "1b5b317e", "1b5b317e"},
		{"KP0", "30", "30", "1b4f70"},
		{"KP9", "39", "39", "1b4f79"},
		{"KP*", "2a", "2a", "1b4f6a"},
		{"KPEnter", "0a", "0a", "1b4f4d"},
		{"M-KP5", "1b35", "1b35", "1b1b4f75"},
		{"C-KP5", "", "", ""},
		{"Enter", "0d", "0d", "0d"},
	} {
		for _, mode := range []struct {
			keys.Modes
			want string
		}{
			{keys.Modes{}, test.plain},
			{keys.Modes{AppCursor: true}, test.cursor},
			{keys.Modes{AppKeypad: true}, test.keypad},
		} {
			if got := lookup(test.name, mode.Modes); got != mode.want {
				t.Errorf("%s with %+v: got %s, want %s", test.name, mode.Modes, got, mode.want)
			}
		}
	}
}

func TestType(t *testing.T) {
	for _, test := range []struct{ text, cooked, raw string }{
		{"ls -la\n", "ls -la\n", "ls -la\r"},
		{"a\nb\n", "a\nb\n", "a\rb\r"},
		{"\n", "\n", "\r"},
		{"", "", ""},
		{"Enter", "\r", "\r"},
		{"KPEnter", "\n", "\n"}, // a key, so what tmux sends
		{"C-j", "\n", "\n"},
		{"C-c\n", "C-c\n", "C-c\r"},
		{"echo $HOME;", "echo $HOME;", "echo $HOME;"}, // tmux's own command line eats the semicolon
		{"-n", "-n", "-n"},
		{"0x41 + 1\n", "0x41 + 1\n", "0x41 + 1\r"},
	} {
		if got := string(keys.Type(nil, test.text, keys.Modes{})); got != test.cooked {
			t.Errorf("%q: got %q, want %q", test.text, got, test.cooked)
		}
		if got := string(keys.Type([]byte("\n"), test.text, keys.Modes{Raw: true})); got != "\n"+test.raw {
			t.Errorf("%q, raw: got %q, want %q", test.text, got, "\n"+test.raw)
		}
	}
}

func TestAppendAllocates(t *testing.T) {
	dst := make([]byte, 0, 64)
	if n := testing.AllocsPerRun(100, func() { keys.Append(dst, "C-M-S-PageDown", keys.Modes{}) }); n != 0 {
		t.Errorf("got %v allocations, want 0", n)
	}
}

func FuzzType(f *testing.F) {
	for _, text := range []string{"C-M-S-Up", "^", "^M-", "0xffffffff", "C-\x00", "é", "ls\n", "User12", "M-\xff"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		dst := []byte("before")
		sent, ok := keys.Append(dst, text, keys.Modes{AppCursor: true})
		if string(sent[:6]) != "before" || !ok && len(sent) != 6 {
			t.Errorf("%q: got %q, want what was there and nothing for what is no key", text, sent)
		}
		if len(sent) > 6+7 {
			t.Errorf("%q: got %d bytes, want at most the 7 of CSI 24;8~", text, len(sent)-6)
		}
		if got := keys.Type(nil, text, keys.Modes{}); !ok && string(got) != text {
			t.Errorf("got %q, want %q as it is", got, text)
		}
	})
}
