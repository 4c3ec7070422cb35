package regex

import "unicode/utf8"

// A symbol is what one step of a match consumes: a character, or a byte that is not part of one, as
// badByte+b.
type symbol = rune

const badByte symbol = utf8.MaxRune + 1

// next decodes the symbol at the start of text, which is not empty, and its length in bytes.
func next(text []byte) (symbol, int) {
	if c := text[0]; c < utf8.RuneSelf {
		return symbol(c), 1
	}
	r, n := utf8.DecodeRune(text)
	if r == utf8.RuneError && n == 1 {
		return badByte + symbol(text[0]), 1
	}
	return r, n
}

// last decodes the symbol at the end of text, which is not empty.
func last(text []byte) symbol {
	c, _ := lastSize(text)
	return c
}

func lastSize(text []byte) (symbol, int) {
	if c := text[len(text)-1]; c < utf8.RuneSelf {
		return symbol(c), 1
	}
	r, n := utf8.DecodeLastRune(text)
	if r == utf8.RuneError && n == 1 {
		return badByte + symbol(text[len(text)-1]), 1
	}
	return r, n
}
