package repo

import (
	"testing"
	"time"
)

func TestParseApproxDate(t *testing.T) {
	now := time.Date(2026, 11, 26, 8, 30, 0, 0, time.Local) // a Thursday
	for text, want := range map[string]string{
		"now": "2026-11-26 08:30:00", "yesterday": "2026-11-25 08:30:00", "2 weeks ago": "2026-11-12 08:30:00",
		"2.days.ago": "2026-11-24 08:30:00", "3 hours ago": "2026-11-26 05:30:00", "one month ago": "2026-10-26 08:30:00",
		"last year": "2025-11-26 08:30:00", "last week": "2026-11-19 08:30:00", "monday": "2026-11-23 08:30:00",
		"2026-11-01": "2026-11-01 08:30:00", "2026-11-01 12:00:00": "2026-11-01 12:00:00", "2026-11-01 12:00": "2026-11-01 12:00:00",
		"midnight": "2026-11-26 00:00:00", "90 minutes ago": "2026-11-26 07:00:00", "Nov 20 2026": "2026-11-20 08:30:00",
	} {
		got, ok := ParseApproxDate(text, now)
		if !ok || got.Format("2006-01-02 15:04:05") != want {
			t.Errorf("%q: got %v, %v, want %s", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "nonsense", "the day before"} {
		if got, ok := ParseApproxDate(text, now); ok {
			t.Errorf("%q: got %v", text, got)
		}
	}
}
