package clock

import (
	"testing"
	"time"
)

// FuzzParse checks that no text makes the parser panic, and that what it reads is shown and read
// again as itself.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"2024-05-06 07:08:09", "next monday", "3 days ago", "@0", "May 5, 2024 7pm", `TZ="UTC" now`, "10:00 +0200", "20240506 0708",
		"last year", "(comment) 1 week", "2024-05-06T07:08:09.5Z", "99999999999 years", "@-1.5", "+", "12/31",
	} {
		f.Add(s)
	}
	now := time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)
	f.Fuzz(func(t *testing.T, s string) {
		got, ok := Parse(s, now)
		if !ok || got.Year() < 1000 || got.Year() > 9999 {
			return
		}
		text := Format("%Y-%m-%d %H:%M:%S.%N %z", got)
		again, ok := Parse(text, now)
		if _, seconds := got.Zone(); seconds%60 == 0 && (!ok || !again.Equal(got)) {
			t.Errorf("Parse(%q) = %v, and Parse(%q) = %v, %v", s, got, text, again, ok)
		}
	})
}
