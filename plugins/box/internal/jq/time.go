package jq

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/clock"
)

// Broken down time is an array: year, month from 0, day, hours, minutes, seconds with a fraction,
// day of the week, day of the year from 0.

func broken(t time.Time, fraction float64) []any {
	return []any{
		float64(t.Year()), float64(t.Month() - 1), float64(t.Day()), float64(t.Hour()), float64(t.Minute()),
		float64(t.Second()) + fraction, float64(t.Weekday()), float64(t.YearDay() - 1),
	}
}

// maxTime bounds times, in seconds from 1970.
const maxTime = 1 << 47

func breakDown(name string, in any, loc *time.Location) (any, error) {
	f, ok := in.(float64)
	if !ok {
		return nil, raise(name + "() requires numeric inputs")
	}
	whole := math.Floor(f)
	if !(math.Abs(whole) < maxTime) {
		return nil, raise("error converting number of seconds since epoch to datetime")
	}
	return broken(time.Unix(int64(whole), 0).In(loc), f-whole), nil
}

func gmtime(_ *machine, in any, _ []any) (any, error) { return breakDown("gmtime", in, time.UTC) }

func localtime(m *machine, in any, _ []any) (any, error) {
	return breakDown("localtime", in, clock.Zone(m.env))
}

// assemble is the time that an array says.
func assemble(in any, loc *time.Location) (time.Time, bool) {
	list, ok := in.([]any)
	if !ok || len(list) < 6 {
		return time.Time{}, false
	}
	var n [6]int
	for i := range n {
		f, ok := list[i].(float64)
		if !ok || !(math.Abs(f) < maxTime) {
			return time.Time{}, false
		}
		n[i] = int(math.Floor(f))
	}
	return time.Date(n[0], time.Month(n[1]+1), n[2], n[3], n[4], n[5], 0, loc), true
}

func mktime(_ *machine, in any, _ []any) (any, error) {
	if _, ok := in.([]any); !ok {
		return nil, raise("mktime requires array inputs")
	}
	t, ok := assemble(in, time.UTC)
	if !ok {
		return nil, raise("mktime requires parsed datetime inputs")
	}
	return float64(t.Unix()), nil
}

func strftime(_ *machine, in any, args []any) (any, error) {
	return formatTime("strftime", in, args[0], time.UTC)
}

func strflocaltime(m *machine, in any, args []any) (any, error) {
	return formatTime("strflocaltime", in, args[0], clock.Zone(m.env))
}

func formatTime(name string, in, format any, loc *time.Location) (any, error) {
	if _, ok := in.(float64); ok {
		var err error
		if in, err = breakDown(name, in, loc); err != nil {
			return nil, err
		}
	}
	f, ok := format.(string)
	if !ok {
		return nil, raise(name + "/1 requires a string format")
	}
	t, ok := assemble(in, loc)
	if !ok {
		return nil, raise(name + "/1 requires parsed datetime inputs")
	}
	return clock.Format(f, t), nil
}

func strptime(_ *machine, in any, args []any) (any, error) {
	s, ok := in.(string)
	format, ok2 := args[0].(string)
	if !ok || !ok2 {
		return nil, raise("strptime/1 requires string inputs and arguments")
	}
	t, ok := parseTime(s, format)
	if !ok {
		return nil, raise("date \"" + s + "\" does not match format \"" + format + "\"")
	}
	return broken(t, 0), nil
}

// parseTime reads a time as strptime(3) does. It knows the directives that have one meaning
// everywhere.
func parseTime(s, format string) (time.Time, bool) {
	year, month, day, hour, minute, second, offset, pm := 1900, 1, 0, 0, 0, 0, 0, -1
	yearDay := -1
	format = expandDirectives(format)
	for i := 0; i < len(format); i++ {
		c := format[i]
		if c == ' ' || c == '\t' || c == '\n' {
			s = strings.TrimLeft(s, " \t\n")
			continue
		}
		if c != '%' || i+1 == len(format) {
			if s == "" || s[0] != c {
				return time.Time{}, false
			}
			s = s[1:]
			continue
		}
		i++
		ok := true
		switch format[i] {
		case 'Y':
			ok = number(&s, 4, &year)
		case 'm':
			ok = number(&s, 2, &month) && month >= 1 && month <= 12
		case 'd', 'e':
			ok = number(&s, 2, &day) && day >= 1 && day <= 31
		case 'H', 'k':
			ok = number(&s, 2, &hour) && hour < 24
		case 'I', 'l':
			ok = number(&s, 2, &hour) && hour >= 1 && hour <= 12
		case 'M':
			ok = number(&s, 2, &minute) && minute < 60
		case 'S':
			ok = number(&s, 2, &second) && second <= 61
		case 'y':
			if ok = number(&s, 2, &year); year < 69 {
				year += 100
			}
			year += 1900
		case 'j':
			ok = number(&s, 3, &yearDay) && yearDay >= 1 && yearDay <= 366
		case 'b', 'B', 'h':
			ok = name(&s, &month, 12, func(i int) string { return time.Month(i + 1).String() })
			month++
		case 'a', 'A':
			var ignored int
			ok = name(&s, &ignored, 7, func(i int) string { return time.Weekday(i).String() })
		case 'p':
			ok = name(&s, &pm, 2, func(i int) string { return [...]string{"AM", "PM"}[i] })
		case 's':
			var epoch int
			ok = number(&s, 18, &epoch)
			t := time.Unix(int64(epoch), 0).UTC()
			year, month, day, hour, minute, second = t.Year(), int(t.Month()), t.Day(), t.Hour(), t.Minute(), t.Second()
		case 'Z':
			s = strings.TrimLeft(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
		case 'z':
			ok = zone(&s, &offset)
		case 'n', 't':
			s = strings.TrimLeft(s, " \t\n")
		default:
			ok = strings.HasPrefix(s, format[i:i+1])
			s = strings.TrimPrefix(s, format[i:i+1])
		}
		if !ok {
			return time.Time{}, false
		}
	}
	if s != "" {
		return time.Time{}, false
	}
	if pm >= 0 {
		hour = hour%12 + 12*pm
	}
	if yearDay > 0 {
		month, day = 1, yearDay
	}
	return time.Date(year, time.Month(month), day, hour, minute, second, 0, time.UTC), true
}

// expandDirectives writes the directives that stand for several as these.
func expandDirectives(format string) string {
	return strings.NewReplacer("%%", "%%", "%T", "%H:%M:%S", "%D", "%m/%d/%y", "%F", "%Y-%m-%d", "%R", "%H:%M", "%r", "%I:%M:%S %p",
		"%c", "%a %b %e %H:%M:%S %Y", "%x", "%m/%d/%y", "%X", "%H:%M:%S").Replace(format)
}

// number takes up to so many digits off s, behind blanks.
func number(s *string, digits int, to *int) bool {
	rest := strings.TrimLeft(*s, " ")
	n := 0
	for n < len(rest) && n < digits && rest[n] >= '0' && rest[n] <= '9' {
		n++
	}
	v, err := strconv.Atoi(rest[:n])
	*to, *s = v, rest[n:]
	return err == nil
}

// name takes one of n names off s, in full or its first three letters, in any case.
func name(s *string, to *int, n int, nameOf func(int) string) bool {
	for i := range n {
		full := nameOf(i)
		for _, form := range []string{full, full[:min(3, len(full))]} {
			if len(*s) >= len(form) && strings.EqualFold((*s)[:len(form)], form) {
				*to, *s = i, (*s)[len(form):]
				return true
			}
		}
	}
	return false
}

// zone takes an offset such as +0100 off s. Broken down time has no place for it.
func zone(s *string, offset *int) bool {
	if strings.HasPrefix(*s, "Z") {
		*s = (*s)[1:]
		return true
	}
	if *s == "" || strings.IndexByte("+-", (*s)[0]) < 0 {
		return false
	}
	rest := strings.Replace((*s)[1:], ":", "", 1)
	ok := number(&rest, 4, offset)
	*s = rest
	return ok
}
