package iconv

import (
	"encoding/binary"
	"strings"
	"sync"
	"unicode/utf8"
)

// A charset decodes and encodes one character at a time.
type charset struct {
	names string // separated by spaces, the first one being its own
	// decode returns the first character of p, which holds 4 bytes or all that is left, and its
	// length in bytes: 0 if it is none, incomplete if more bytes are missing.
	decode func(p []byte) (rune, int)
	// encode appends a character, or returns nil if the set lacks it.
	encode func(dst []byte, r rune) []byte
	bom    bool // little-endian behind a byte order mark, or as the mark of the input says
}

const incomplete = -1

const undefined = utf8.RuneError

// charsets returns all of them. The tables are made when they are needed first, and only read.
var charsets = sync.OnceValue(func() []charset {
	return []charset{
		{names: "UTF-8 UTF8", decode: decodeUTF8, encode: encodeUTF8},
		{names: "UTF-16 UTF16", decode: decode16(binary.LittleEndian), encode: encode16(binary.LittleEndian), bom: true},
		{names: "UTF-16LE UTF16LE", decode: decode16(binary.LittleEndian), encode: encode16(binary.LittleEndian)},
		{names: "UTF-16BE UTF16BE", decode: decode16(binary.BigEndian), encode: encode16(binary.BigEndian)},
		{names: "UTF-32 UTF32", decode: decode32(binary.LittleEndian), encode: encode32(binary.LittleEndian), bom: true},
		{names: "UTF-32LE UTF32LE", decode: decode32(binary.LittleEndian), encode: encode32(binary.LittleEndian)},
		{names: "UTF-32BE UTF32BE", decode: decode32(binary.BigEndian), encode: encode32(binary.BigEndian)},
		bytewise("ANSI_X3.4-1968 ASCII US-ASCII US ISO646-US ISO_646.IRV:1991 CP367 646", 0x80, ""),
		bytewise("ISO-8859-1 ISO8859-1 ISO_8859-1 ISO88591 8859_1 LATIN1 L1 CP819 IBM819", 0x100, ""),
		bytewise("ISO-8859-15 ISO8859-15 ISO_8859-15 ISO885915 LATIN-9", 0x100,
			"\xa4€\xa6Š\xa8š\xb4Ž\xb8ž\xbcŒ\xbdœ\xbeŸ"),
		bytewise("CP1252 WINDOWS-1252 MS-ANSI", 0x100, "\x80€\x81\ufffd\x82‚\x83ƒ\x84„\x85…\x86†\x87‡\x88ˆ\x89‰\x8aŠ\x8b‹\x8cŒ"+
			"\x8d\ufffd\x8eŽ\x8f\ufffd\x90\ufffd\x91‘\x92’\x93“\x94”\x95•\x96–\x97—\x98˜\x99™\x9aš\x9b›\x9cœ\x9d\ufffd\x9ež\x9fŸ"),
	}
})

// find returns a character set by its name; the one of no name is the environment's.
func find(name string) (charset, bool) {
	if name == "" {
		return charsets()[0], true
	}
	for _, c := range charsets() {
		for n := range strings.FieldsSeq(c.names) {
			if strings.EqualFold(n, name) {
				return c, true
			}
		}
	}
	return charset{}, false
}

func decodeUTF8(p []byte) (rune, int) {
	r, n := utf8.DecodeRune(p)
	switch {
	case r != utf8.RuneError || n > 1:
		return r, n
	case !utf8.FullRune(p):
		return 0, incomplete
	}
	return 0, 0
}

func encodeUTF8(dst []byte, r rune) []byte { return utf8.AppendRune(dst, r) }

func decode16(order binary.ByteOrder) func([]byte) (rune, int) {
	return func(p []byte) (rune, int) {
		if len(p) < 2 {
			return 0, incomplete
		}
		high := rune(order.Uint16(p))
		switch {
		case high < 0xd800 || high > 0xdfff:
			return high, 2
		case high >= 0xdc00:
			return 0, 0
		case len(p) < 4:
			return 0, incomplete
		}
		low := rune(order.Uint16(p[2:]))
		if low < 0xdc00 || low > 0xdfff {
			return 0, 0
		}
		return (high-0xd800)<<10 + low - 0xdc00 + 0x10000, 4
	}
}

func encode16(order binary.AppendByteOrder) func([]byte, rune) []byte {
	return func(dst []byte, r rune) []byte {
		if r < 0x10000 {
			return order.AppendUint16(dst, uint16(r))
		}
		r -= 0x10000
		return order.AppendUint16(order.AppendUint16(dst, uint16(0xd800+r>>10)), uint16(0xdc00+r&0x3ff))
	}
}

func decode32(order binary.ByteOrder) func([]byte) (rune, int) {
	return func(p []byte) (rune, int) {
		if len(p) < 4 {
			return 0, incomplete
		}
		v := order.Uint32(p)
		if v > utf8.MaxRune || !utf8.ValidRune(rune(v)) {
			return 0, 0
		}
		return rune(v), 4
	}
}

func encode32(order binary.AppendByteOrder) func([]byte, rune) []byte {
	return func(dst []byte, r rune) []byte { return order.AppendUint32(dst, uint32(r)) }
}

// bytewise is a set of one byte for each character. They are the first ones of Unicode up to limit,
// but for those in changes: a byte, then its character.
func bytewise(names string, limit rune, changes string) charset {
	var table [256]rune
	back := map[rune]byte{}
	for i := range table {
		if table[i] = rune(i); rune(i) >= limit {
			table[i] = undefined
		}
	}
	for changes != "" {
		r, n := utf8.DecodeRuneInString(changes[1:])
		table[changes[0]] = r
		changes = changes[1+n:]
	}
	for i, r := range table {
		if r != undefined {
			back[r] = byte(i)
		}
	}
	return charset{
		names: names,
		decode: func(p []byte) (rune, int) {
			if table[p[0]] == undefined {
				return 0, 0
			}
			return table[p[0]], 1
		},
		encode: func(dst []byte, r rune) []byte {
			b, ok := back[r]
			if !ok {
				return nil
			}
			return append(dst, b)
		},
	}
}
