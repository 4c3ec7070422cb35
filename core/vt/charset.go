package vt

import "strings"

// A charset is a 94-character set, named by the final byte of the sequence that
// designates it. The zero value is ASCII.
type charset byte

const lineDrawing charset = '0'

// lineDrawingRunes are what '`' to '~' are in the set of DEC.
// https://vt100.net/docs/vt102-ug/table5-13.html
var lineDrawingRunes = [...]rune{
	'◆', '▒', '␉', '␌', '␍', '␊', '°', '±', '␤', '␋', '┘', '┐', '┌', '└', '┼', '⎺',
	'⎻', '─', '⎼', '⎽', '├', '┤', '┴', '┬', '│', '≤', '≥', 'π', '≠', '£', '·',
}

// nationalKeys are the characters that other sets replace.
const nationalKeys = `#@[\]^_` + "`{|}~"

// nationals are what other sets make of nationalKeys.
// https://vt100.net/docs/vt220-rm/chapter2.html#S2.4.3
var nationals = [...]struct {
	set   charset
	chars string
}{
	{'A', "£@[\\]^_`{|}~"}, // British
	{'4', "£¾i½|^_`¨f¼´"},  // Dutch; the digraph is i in xterm.js too
	{'C', "#@ÄÖÅÜ_éäöåü"},  // Finnish
	{'5', "#@ÄÖÅÜ_éäöåü"},
	{'R', "£à°ç§^_`éùè¨"}, // French
	{'Q', "#àâçêî_ôéùèû"}, // French Canadian
	{'K', "#§ÄÖÜ^_`äöüß"}, // German
	{'Y', "£§°çé^_ùàòèì"}, // Italian
	{'E', "#ÄÆØÅÜ_äæøåü"}, // Norwegian and Danish
	{'6', "#ÄÆØÅÜ_äæøåü"},
	{'Z', "£§¡Ñ¿^_`°ñç~"}, // Spanish
	{'H', "#ÉÄÖÅÜ_éäöåü"}, // Swedish
	{'7', "#ÉÄÖÅÜ_éäöåü"},
	{'=', "ùàéçêîèôäöüû"}, // Swiss
}

// national returns what set makes of nationalKeys, "" if it is none of them.
func (set charset) national() string {
	for i := range nationals {
		if nationals[i].set == set {
			return nationals[i].chars
		}
	}
	return ""
}

// charsetNamed returns the set with a final byte, if there is one.
func charsetNamed(final byte) (charset, bool) {
	if final == 'B' {
		return 0, true
	}
	set := charset(final)
	return set, set == lineDrawing || set.national() != ""
}

// rune returns what c, which is ASCII, stands for.
func (set charset) rune(c byte) rune {
	if set == lineDrawing {
		if c >= '`' && c <= '~' {
			return lineDrawingRunes[c-'`']
		}
		return rune(c)
	}
	i := strings.IndexByte(nationalKeys, c)
	if i < 0 {
		return rune(c)
	}
	for _, r := range set.national() {
		if i == 0 {
			return r
		}
		i--
	}
	return rune(c)
}

// charsets are G0 to G3, and which of them text is in.
type charsets struct {
	g     [4]charset
	level uint8
	// active is g[level], but for what DECRC brings back.
	active charset
}

func (s *charsets) designate(level uint8, set charset) {
	s.g[level] = set
	if s.level == level {
		s.active = set
	}
}

func (s *charsets) invoke(level uint8) {
	s.level = level
	s.active = s.g[level]
}
