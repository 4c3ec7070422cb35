package printable_test

import (
	"testing"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/printable"
)

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"":                           "",
		"rm -rf 'a b' \\ \"é\" 世界":   "rm -rf 'a b' \\ \"é\" 世界",
		"\x1b[2J\a\n\r\t\x7f":        `\x1b[2J\a\n\r\t\x7f`,
		"a\u202egpj.exe\u2066":       `a\u202egpj.exe\u2066`,
		"a\u00a0b\u3164\u115f\u2800": `a\u00a0b\u3164\u115f\u2800`,
		"\ufe0f\u034f\U000e0100":     `\ufe0f\u034f\U000e0100`,
		"\u009b\u2028\u200b\xff":     `\u009b\u2028\u200b\xff`,
	} {
		if got := printable.Text(in); got != want {
			t.Errorf("Text(%q): got %q, want %q", in, got, want)
		}
	}
}
