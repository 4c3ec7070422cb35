package repo

import (
	"strconv"
	"strings"
	"time"
)

// ParseApproxDate reads a date as --since has it: one that ParseDate knows, a day, or a time ago in
// words, such as "2 weeks ago", "yesterday" and "last month". A date without a time has that of
// now.
func ParseApproxDate(s string, now time.Time) (time.Time, bool) {
	s = strings.TrimSpace(s)
	for _, form := range []string{"2006-01-02", "2006/01/02", "2006.01.02", "01/02/2006", "Jan 2 2006", "2 Jan 2006", "January 2 2006", "Jan 2, 2006"} {
		if t, err := time.ParseInLocation(form, s, time.Local); err == nil {
			clock := now.In(time.Local)
			return time.Date(t.Year(), t.Month(), t.Day(), clock.Hour(), clock.Minute(), clock.Second(), 0, time.Local), true
		}
	}
	if t, err := ParseDate(s); err == nil {
		return t, true
	}
	for _, form := range []string{"2006-01-02 15:04", "2006-01-02T15:04", "Jan 2 2006 15:04:05"} {
		if t, err := time.ParseInLocation(form, s, time.Local); err == nil {
			return t, true
		}
	}
	if n, err := strconv.ParseInt(strings.TrimPrefix(s, "@"), 10, 64); err == nil && (n > 100000000 || s[0] == '@') {
		return time.Unix(n, 0), true
	}
	return inWords(s, now)
}

var numbers = map[string]int{"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "last": 1}

func inWords(s string, now time.Time) (time.Time, bool) {
	n, known := 0, false
	t := now
	for _, word := range strings.FieldsFunc(strings.ToLower(s), func(c rune) bool { return c == ' ' || c == '.' || c == ',' || c == '_' }) {
		if v, err := strconv.Atoi(word); err == nil {
			n = v
			continue
		}
		if v, ok := numbers[word]; ok {
			n = v
			continue
		}
		clock := func(hour int) time.Time {
			l := t.In(time.Local)
			return time.Date(l.Year(), l.Month(), l.Day(), hour, 0, 0, 0, time.Local)
		}
		known = true
		switch strings.TrimSuffix(word, "s") {
		case "now", "today":
		case "yesterday":
			t = t.AddDate(0, 0, -1)
		case "midnight":
			t = clock(0)
		case "noon":
			t = clock(12)
		case "tea":
			t = clock(17)
		case "never":
			t = time.Unix(0, 0)
		case "second", "sec":
			t = t.Add(-time.Duration(n) * time.Second)
		case "minute", "min":
			t = t.Add(-time.Duration(n) * time.Minute)
		case "hour":
			t = t.Add(-time.Duration(n) * time.Hour)
		case "day":
			t = t.Add(-time.Duration(n) * 24 * time.Hour)
		case "week":
			t = t.Add(-time.Duration(n) * 7 * 24 * time.Hour)
		case "month":
			t = t.AddDate(0, -n, 0)
		case "year":
			t = t.AddDate(-n, 0, 0)
		case "ago":
		default:
			day, ok := weekday(word)
			if !ok {
				return t, false
			}
			back := (int(t.Weekday()) - day + 7) % 7
			if back == 0 && n > 0 {
				back = 7
			}
			t = t.AddDate(0, 0, -back)
		}
	}
	return t, known
}

func weekday(word string) (int, bool) {
	for d := range 7 {
		if len(word) >= 3 && strings.HasPrefix(strings.ToLower(time.Weekday(d).String()), word) {
			return d, true
		}
	}
	return 0, false
}
