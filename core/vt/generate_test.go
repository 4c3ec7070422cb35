package vt_test

import (
	"math/rand/v2"
	"strconv"
	"strings"
)

// A generator makes output as programs write it, and as none would.
type generator struct {
	*rand.Rand
	rows, cols int
	out        strings.Builder
}

func newGenerator(seed uint64, rows, cols int) *generator {
	return &generator{Rand: rand.New(rand.NewPCG(seed, 11)), rows: rows, cols: cols}
}

// stream returns n pieces of output.
func (g *generator) stream(n int) []byte {
	g.out.Reset()
	for range n {
		g.piece()
	}
	return []byte(g.out.String())
}

func (g *generator) pick(s ...string) string { return s[g.IntN(len(s))] }

func (g *generator) piece() {
	switch g.IntN(20) {
	case 0, 1, 2, 3:
		g.text()
	case 4, 5:
		g.out.WriteString(g.pick("\r\n", "\n", "\r", "\b", "\t", "\v", "\f", "\x0e", "\x0f", "\a", "\b\b", "\r\n\r\n", "\u0085", "\u0084", "\u0088"))
	case 6, 7:
		g.csi("HfABCDEFGdeaI`Z")
	case 8, 9:
		g.csi("JKXPM@LSTJK")
	case 10:
		g.out.WriteString("\x1b[?" + g.number() + g.pick("J", "K"))
	case 11, 12:
		g.sgr()
	case 13:
		g.out.WriteString("\x1b[" + g.number() + ";" + g.number() + "r")
	case 14:
		g.out.WriteString("\x1b[" + g.pick("?6", "?7", "4", "?45", "?25", "20", "?1", "?66", "?1004", "?2004", "?1000", "?1006", "?12", "?2026") + g.pick("h", "l", "l"))
	case 15:
		g.out.WriteString("\x1b[?" + g.pick("47", "1047", "1049", "1048") + g.pick("h", "l"))
	case 16:
		g.out.WriteString("\x1b" + g.pick("7", "8", "D", "E", "M", "H", "(0", "(B", ")0", "*A", "n", "o", "~", "[?6l\x1b#8", "=", ">", "[s", "[u", "[!p", "(K", "[g", "[3g", "[1\"q", "[0\"q", "%G"))
	case 17:
		// Not just anywhere: ESC \ alone is a sequence to xterm.js, and ends what can be repeated.
		if g.IntN(4) == 0 {
			g.out.WriteString("\x1b[m")
		} else {
			g.text()
		}
		g.csi("b")
	case 18:
		g.out.WriteString(g.pick("\x1b[ @", "\x1b[2 @", "\x1b[ A", "\x1b[3'}", "\x1b['~", "\x1b[5 q", "\x1b[2 q", "\x1b]0;t\a", "\x1b]8;;http://x/\x1b\\", "\x1b]8;;\x1b\\", "\x1bP$qm\x1b\\", "\x1b[22t", "\x1b[3J"))
	case 19:
		g.junk()
	}
}

func (g *generator) text() {
	for range 1 + g.IntN(8) {
		g.out.WriteString(g.pick("a", "b", "cd", "efg", " ", "  ", "hello", "世", "界", "é", "e\u0301", "😀", "\u0301", "ｶ", "世\u0308", "xy", "q", "lqk", "─",
			"0123456789", "-", "#", "한글", "\u200d", "👩\u200d👧", "\u00ad"))
	}
}

func (g *generator) number() string {
	switch g.IntN(8) {
	case 0:
		return ""
	case 1:
		return "0"
	case 2:
		return strconv.Itoa(g.rows)
	case 3:
		return strconv.Itoa(g.cols)
	case 4:
		return strconv.Itoa(g.IntN(g.cols*2 + 4))
	default:
		return strconv.Itoa(g.IntN(5))
	}
}

func (g *generator) csi(finals string) {
	g.out.WriteString("\x1b[" + g.number())
	if g.IntN(3) == 0 {
		g.out.WriteString(";" + g.number())
	}
	g.out.WriteByte(finals[g.IntN(len(finals))])
}

func (g *generator) sgr() {
	g.out.WriteString("\x1b[")
	for i := range 1 + g.IntN(3) {
		if i > 0 {
			g.out.WriteByte(';')
		}
		g.out.WriteString(g.pick("", "0", "1", "2", "3", "4", "5", "7", "8", "9", "21", "22", "23", "24", "25", "27", "28", "29", "31", "42", "39", "49", "53", "55",
			"97", "104", "38;5;200", "48;5;17", "38;2;1;2;3", "48;2;9;8;7", "4:3", "4:0", "38:2::4:5:6", "48:5:99", "58:5:3", "58;2;1;1;1", "59", "38;5", "38;2;1", "38:2:1:2:3", "100", "6"))
	}
	g.out.WriteByte('m')
}

// junk is valid UTF-8, and that is all there is to say for it.
func (g *generator) junk() {
	var junk strings.Builder
	for range g.IntN(12) {
		switch g.IntN(4) {
		case 0:
			junk.WriteString(g.pick("\x1b", "\x1b[", "\x1b]", "\x1b[?", "\u009b", "\x18", "\x1a", ";", ":", "\x00", "\x7f", "\a", "\u009d", "\u009c", "9"))
		case 1:
			junk.WriteByte(byte(g.IntN(128)))
		default:
			junk.WriteByte(byte(' ' + g.IntN(95)))
		}
	}
	// ST where no string is has xterm.js forget what REP repeats.
	g.out.WriteString(strings.ReplaceAll(junk.String(), "\x1b\\", "") + "\x18")
}

// lines returns what can be laid out anew: lines, some longer than the screen.
func (g *generator) lines() []byte {
	g.out.Reset()
	for range g.IntN(12) {
		for range g.IntN(2 * g.cols) {
			g.out.WriteString(g.pick("a", "b", "c", "d", "e", "f", " ", "é", "\x1b[31m", "\x1b[m"))
		}
		g.out.WriteString(g.pick("\r\n", "\r\n", "\r\n", "", "\x1b[A", "\r"))
		if g.IntN(10) == 0 {
			g.out.WriteString(g.pick("\x1b[?1049h", "\x1b[?1049l", "\x1b[?1049l"))
		}
	}
	return []byte(g.out.String())
}
