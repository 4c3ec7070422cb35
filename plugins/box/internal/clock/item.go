package clock

import (
	"slices"
	"strings"
)

// clock reads HH:MM[:SS[.FRACTION]] with am, pm or a zone's offset behind it.
func (p *parser) clock() bool {
	p.times++
	p.hour, p.minute, p.second, p.nano = p.number(0), p.number(2), 0, 0
	p.skip(3)
	if p.kinds(":n") {
		p.second = p.number(1)
		p.skip(2)
		if p.kinds(".n") || p.kinds(",n") && !p.tokens[1].space {
			p.nano, _ = fraction(p.tokens[1].text)
			p.skip(2)
		}
	}
	if !p.meridian() {
		return false
	}
	if p.kinds("+n") || p.kinds("-n") {
		return p.zoneOffset()
	}
	return 0 <= p.hour && p.hour <= 24 && 0 <= p.minute && p.minute < 60 && 0 <= p.second && p.second <= 60
}

// meridian applies a following am or pm to the hour.
func (p *parser) meridian() bool {
	if !p.kinds("w") || p.tokens[0].text != "am" && p.tokens[0].text != "pm" {
		return true
	}
	if p.hour < 1 || p.hour > 12 {
		return false
	}
	p.hour %= 12
	if p.tokens[0].text == "pm" {
		p.hour += 12
	}
	p.skip(1)
	return true
}

// zoneOffset reads +HH, +HHMM or +HH:MM.
func (p *parser) zoneOffset() bool {
	negative := p.tokens[0].kind == '-'
	n, digits := p.number(1), len(p.tokens[1].text)
	p.skip(2)
	hours, minutes := n, 0
	if digits > 2 {
		hours, minutes = n/100, n%100
	} else if p.kinds(":n") {
		minutes = p.number(1)
		p.skip(2)
	}
	if hours < 0 || hours > 24 || minutes < 0 || minutes > 59 {
		return false
	}
	p.zones++
	p.offset = hours*3600 + minutes*60
	if negative {
		p.offset = -p.offset
	}
	return true
}

// date reads the numeric dates 2024-05-06, 2024/05/06, 05/06/2024, 05/06, and 6-may-2024.
func (p *parser) date() bool {
	p.dates++
	first := p.tokens[0].text
	switch {
	case p.kinds("n-w-n"):
		m, ok := months[p.tokens[2].text]
		if !ok {
			return false
		}
		p.day, p.month, p.year = p.number(0), m, p.fullYear(4)
		p.skip(5)
	case p.kinds("n-n-n"), p.kinds("n/n/n") && len(first) >= 4:
		p.year, p.month, p.day = p.fullYear(0), p.number(2), p.number(4)
		p.skip(5)
		if p.kinds("w") && p.tokens[0].text == "t" && len(p.tokens) > 1 && p.tokens[1].kind == 'n' {
			p.skip(1)
			if !p.kinds("n:n") {
				return p.hourOnly()
			}
		}
	case p.kinds("n/n/n"):
		p.month, p.day, p.year = p.number(0), p.number(2), p.fullYear(4)
		p.skip(5)
	default:
		p.month, p.day = p.number(0), p.number(2)
		p.skip(3)
	}
	return 0 < p.month && p.month <= 12 && 0 < p.day && p.day <= 31 && p.year >= 0
}

func (p *parser) hourOnly() bool {
	p.times++
	p.hour, p.minute, p.second, p.nano = p.number(0), 0, 0, 0
	p.skip(1)
	return 0 <= p.hour && p.hour <= 24
}

// fullYear reads a year; one of two digits is of 1969 to 2068.
func (p *parser) fullYear(i int) int {
	y := p.number(i)
	if len(p.tokens[i].text) == 2 && y >= 0 {
		if y < 69 {
			return y + 2000
		}
		return y + 1900
	}
	return y
}

// startsWithNumber reads what begins with a number that is neither a numeric date nor HH:MM.
func (p *parser) startsWithNumber() bool {
	n, text := p.number(0), p.tokens[0].text
	if n < 0 {
		return false
	}
	if len(p.tokens) > 1 && p.tokens[1].kind == 'w' {
		w := p.tokens[1].text
		switch {
		case months[w] != 0:
			p.dates++
			p.day, p.month = n, months[w]
			p.skip(2)
			if p.kinds("n") && !p.kinds("n:n") && len(p.tokens[0].text) != 2 || p.kinds("n") && len(p.tokens) == 1 {
				p.year = p.fullYear(0)
				p.skip(1)
			}
			return 0 < n && n <= 31 && p.year >= 0
		case w == "am" || w == "pm":
			p.hour, p.minute, p.second, p.nano = n, 0, 0, 0
			p.times++
			p.skip(1)
			return p.meridian()
		}
		if unit, ok := relative(w); ok {
			p.skip(2)
			return p.add(n, unit)
		}
		if d, ok := weekdays[w]; ok {
			p.days++
			p.weekday, p.ordinal = d, n
			p.skip(2)
			return true
		}
	}
	p.skip(1)
	return p.plainNumber(n, text)
}

// plainNumber is a year after a date and time, YYYYMMDD, HHMM or HH.
func (p *parser) plainNumber(n int, text string) bool {
	switch {
	case p.dates > 0 && p.times > 0 && p.rels == 0 && len(text) >= 3:
		p.year = n
		return true
	case len(text) > 4:
		p.dates++
		p.year, p.month, p.day = n/10000, n/100%100, n%100
		if len(text) == 6 {
			p.year += 2000
		}
		return 0 < p.month && p.month <= 12 && 0 < p.day && p.day <= 31
	}
	p.times++
	p.hour, p.minute, p.second, p.nano = n, 0, 0, 0
	if len(text) > 2 {
		p.hour, p.minute = n/100, n%100
	}
	return p.hour <= 24 && p.minute < 60
}

// signed is "+1 day" or "-2 weeks".
func (p *parser) signed() bool {
	n := p.number(1)
	if n < 0 || len(p.tokens) < 3 || p.tokens[2].kind != 'w' {
		return false
	}
	if p.tokens[0].kind == '-' {
		n = -n
	}
	unit, ok := relative(p.tokens[2].text)
	if !ok {
		return false
	}
	p.skip(3)
	return p.add(n, unit)
}

func (p *parser) word() bool {
	w := p.tokens[0].text
	p.skip(1)
	switch {
	case months[w] != 0:
		if !p.kinds("n") {
			return false
		}
		p.dates++
		p.month, p.day = months[w], p.number(0)
		p.skip(1)
		if p.kinds(",n") {
			p.skip(1)
		}
		if p.kinds("n") && !p.kinds("n:n") {
			if _, unit := p.unitAt(1); !unit {
				p.year = p.fullYear(0)
				p.skip(1)
			}
		}
		return 0 < p.day && p.day <= 31 && p.year >= 0
	case w == "now" || w == "today":
		p.rels++
		return true
	case w == "tomorrow":
		return p.add(1, unit{'d', 1})
	case w == "yesterday":
		return p.add(-1, unit{'d', 1})
	case w == "t" && p.kinds("n"):
		if p.kinds("n:n") {
			return true
		}
		return p.hourOnly()
	}
	if n, ok := ordinals[w]; ok && p.kinds("w") {
		next := p.tokens[0].text
		p.skip(1)
		if d, ok := weekdays[next]; ok {
			p.days++
			p.weekday, p.ordinal = d, n
			return true
		}
		u, ok := relative(next)
		return ok && p.add(n, u)
	}
	if d, ok := weekdays[w]; ok {
		p.days++
		p.weekday = d
		return true
	}
	if offset, ok := offsets[w]; ok {
		p.zones++
		p.offset = offset
		if p.kinds("+n") || p.kinds("-n") {
			p.zones--
			return p.zoneOffset()
		}
		return true
	}
	if u, ok := relative(w); ok {
		return p.add(1, u)
	}
	return false
}

func (p *parser) unitAt(i int) (unit, bool) {
	if i >= len(p.tokens) || p.tokens[i].kind != 'w' {
		return unit{}, false
	}
	return relative(p.tokens[i].text)
}

// add adds n units, backwards if "ago" follows.
func (p *parser) add(n int, u unit) bool {
	p.rels++
	if p.kinds("w") && p.tokens[0].text == "ago" {
		p.skip(1)
		n = -n
	}
	if n > maxAmount/u.factor || n < -maxAmount/u.factor {
		return false
	}
	n *= u.factor
	switch u.kind {
	case 'y':
		p.relYear += n
	case 'm':
		p.relMonth += n
	case 'd':
		p.relDay += n
	default:
		p.relSeconds += n
	}
	return max(p.relYear, -p.relYear, p.relMonth, -p.relMonth, p.relDay, -p.relDay) < 1<<31
}

// A unit is a factor of years, months, days or seconds.
type unit struct {
	kind   byte
	factor int
}

var units = map[string]unit{
	"year": {'y', 1}, "month": {'m', 1}, "fortnight": {'d', 14}, "week": {'d', 7}, "day": {'d', 1},
	"hour": {'s', 3600}, "minute": {'s', 60}, "min": {'s', 60}, "second": {'s', 1}, "sec": {'s', 1},
}

func relative(w string) (unit, bool) {
	if u, ok := units[w]; ok {
		return u, true
	}
	u, ok := units[strings.TrimSuffix(w, "s")]
	return u, ok
}

var (
	months   = byPrefix([]string{"", "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"}, "sept")
	weekdays = byPrefix([]string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}, "tues", "wednes", "thur", "thurs")
	ordinals = map[string]int{
		"last": -1, "this": 0, "next": 1, "first": 1, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8,
		"ninth": 9, "tenth": 10, "eleventh": 11, "twelfth": 12,
	}
	offsets = map[string]int{
		"z": 0, "utc": 0, "gmt": 0, "ut": 0, "wet": 0, "west": 3600, "bst": 3600, "cet": 3600, "met": 3600, "cest": 7200, "mest": 7200,
		"eet": 7200, "eest": 10800, "msk": 10800, "ist": 19800, "jst": 32400, "est": -18000, "edt": -14400, "cst": -21600,
		"cdt": -18000, "mst": -25200, "mdt": -21600, "pst": -28800, "pdt": -25200,
	}
)

// byPrefix numbers names, by themselves, their first three letters, and the other offsets that are
// theirs.
func byPrefix(names []string, more ...string) map[string]int {
	m := map[string]int{}
	for i, name := range names {
		if name == "" {
			continue
		}
		m[name], m[name[:3]] = i, i
	}
	for _, short := range more {
		m[short] = slices.IndexFunc(names, func(n string) bool { return strings.HasPrefix(n, short) })
	}
	return m
}
