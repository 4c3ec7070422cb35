package clock

import (
	"strconv"
	"strings"
	"time"

	"github.com/terrarium-dev/terrarium/plugins/zones"
)

// maxDate bounds the text of a date, in bytes.
const maxDate = 1 << 12

// maxAmount bounds the numbers of a date: far beyond every year that can be shown.
const maxAmount = 1 << 40

// Parse reads a date as "date -d" does, relative to now and in its zone; see "Date input formats"
// of the coreutils manual. Dates, times, zones, days and relative items come in any order.
func Parse(s string, now time.Time) (time.Time, bool) {
	if len(s) > maxDate {
		return time.Time{}, false
	}
	loc := now.Location()
	shown := loc
	if rest, ok := strings.CutPrefix(strings.TrimSpace(s), `TZ="`); ok {
		name, after, ok := strings.Cut(rest, `"`)
		if !ok {
			return time.Time{}, false
		}
		loc, s = zones.Load(name), after
		now = now.In(loc)
	}
	if rest, ok := strings.CutPrefix(strings.TrimSpace(s), "@"); ok {
		return parseEpoch(rest, loc)
	}
	tokens, ok := scan(strings.ToLower(s))
	if !ok {
		return time.Time{}, false
	}
	p := parser{tokens: tokens, now: now, loc: loc, shown: shown}
	p.year, p.month, p.day = now.Year(), int(now.Month()), now.Day()
	p.hour, p.minute, p.second, p.nano = now.Hour(), now.Minute(), now.Second(), now.Nanosecond()
	for len(p.tokens) > 0 {
		if !p.item() {
			return time.Time{}, false
		}
	}
	return p.result()
}

func parseEpoch(s string, loc *time.Location) (time.Time, bool) {
	whole, frac, hasFrac := strings.Cut(strings.Replace(s, ",", ".", 1), ".")
	sec, err := strconv.ParseInt(strings.TrimSpace(whole), 10, 64)
	if err != nil || sec > maxAmount || sec < -maxAmount {
		return time.Time{}, false
	}
	nano, ok := fraction(frac)
	if hasFrac && (!ok || frac == "") {
		return time.Time{}, false
	}
	if strings.HasPrefix(whole, "-") {
		nano = -nano
	}
	return time.Unix(sec, int64(nano)).In(loc), true
}

// fraction returns digits behind a point as nanoseconds.
func fraction(digits string) (int, bool) {
	if strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	n, _ := strconv.Atoi((digits + "000000000")[:9])
	return n, true
}

// A token is a word, a number, or one other character.
type token struct {
	text  string
	kind  byte // 'w', 'n', or the character
	space bool // whether white space came before it
}

func scan(s string) ([]token, bool) {
	var out []token
	space := false
	for i := 0; i < len(s); {
		c := s[i]
		start := i
		switch {
		case c == ' ' || '\t' <= c && c <= '\r':
			i++
			space = true
			continue
		case c == '(':
			depth := 0
			for ; i < len(s); i++ {
				if s[i] == '(' {
					depth++
				}
				if s[i] == ')' {
					if depth--; depth == 0 {
						break
					}
				}
			}
			if i == len(s) {
				return nil, false
			}
			i++
			continue
		case '0' <= c && c <= '9':
			for i < len(s) && '0' <= s[i] && s[i] <= '9' {
				i++
			}
			out = append(out, token{s[start:i], 'n', space})
		case 'a' <= c && c <= 'z':
			for i < len(s) && ('a' <= s[i] && s[i] <= 'z' || s[i] == '.') {
				i++
			}
			out = append(out, token{strings.ReplaceAll(s[start:i], ".", ""), 'w', space})
		case strings.IndexByte("+-/:,.", c) >= 0:
			i++
			out = append(out, token{s[start:i], c, space})
		default:
			return nil, false
		}
		space = false
	}
	return out, true
}

// A parser gathers the items of a date.
type parser struct {
	tokens []token
	now    time.Time
	loc    *time.Location
	shown  *time.Location // what the result is in

	year, month, day           int
	hour, minute, second, nano int
	dates, times, days, rels   int
	zones                      int
	offset                     int // seconds east of UTC, if zones > 0
	weekday, ordinal           int
	relYear, relMonth, relDay  int
	relSeconds                 int
}

// kinds reports whether the next tokens are of these kinds.
func (p *parser) kinds(kinds string) bool {
	if len(p.tokens) < len(kinds) {
		return false
	}
	for i := range len(kinds) {
		if p.tokens[i].kind != kinds[i] {
			return false
		}
	}
	return true
}

func (p *parser) skip(n int) { p.tokens = p.tokens[n:] }

// number returns the value of a number token, or of a word token that is not there, -1.
func (p *parser) number(i int) int {
	n, err := strconv.Atoi(p.tokens[i].text)
	if err != nil || n > maxAmount {
		return -1
	}
	return n
}

func (p *parser) item() bool {
	switch {
	case p.kinds(","):
		p.skip(1)
		return true
	case p.kinds("n:n"):
		return p.clock()
	case p.kinds("n-n-n"), p.kinds("n/n/n"), p.kinds("n/n"), p.kinds("n-w-n"):
		return p.date()
	case p.kinds("n"):
		return p.startsWithNumber()
	case p.kinds("+n"), p.kinds("-n"):
		return p.signed()
	case p.kinds("w"):
		return p.word()
	}
	return false
}

// result puts the items together.
func (p *parser) result() (time.Time, bool) {
	if p.dates > 1 || p.times > 1 || p.days > 1 || p.zones > 1 {
		return time.Time{}, false
	}
	if p.times == 0 && (p.rels == 0 || p.dates > 0 || p.days > 0) {
		p.hour, p.minute, p.second, p.nano = 0, 0, 0, 0
	}
	loc := p.loc
	if p.zones > 0 {
		loc = time.FixedZone("", p.offset)
		if p.dates == 0 && p.days == 0 {
			there := p.now.In(loc)
			p.year, p.month, p.day = there.Year(), int(there.Month()), there.Day()
		}
	}
	t := time.Date(p.year, time.Month(p.month), p.day, p.hour, p.minute, p.second, p.nano, loc)
	if p.dates > 0 && (t.Day() != p.day || int(t.Month()) != p.month) && p.hour < 24 {
		return time.Time{}, false
	}
	if p.days > 0 && p.dates == 0 {
		ahead := (p.weekday - int(t.Weekday()) + 7) % 7
		if p.ordinal > 0 && ahead != 0 {
			p.ordinal--
		}
		t = t.AddDate(0, 0, ahead+7*p.ordinal)
	}
	t = t.AddDate(p.relYear, p.relMonth, p.relDay)
	if p.relSeconds > 1<<33 || p.relSeconds < -(1<<33) {
		return time.Unix(t.Unix()+int64(p.relSeconds), int64(t.Nanosecond())).In(p.shown), true
	}
	return t.Add(time.Duration(p.relSeconds) * time.Second).In(p.shown), true
}
