package text

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

const wcOptions = "c,bytes m,chars l,lines w,words L,max-line-length files0-from= debug"

// counts are lines, words, characters, bytes and the display width of the longest line, in the order of wc's columns.
type counts [5]int64

const (
	countLines = iota
	countWords
	countChars
	countBytes
	countWidth
)

func wc(env *tool.Env, args []string) int {
	opts, status := env.Options(args, wcOptions)
	if opts == nil {
		return status
	}
	var show [5]bool
	files := opts.Operands
	for _, o := range opts.Options {
		switch o.Name {
		case "l":
			show[countLines] = true
		case "w":
			show[countWords] = true
		case "m":
			show[countChars] = true
		case "c":
			show[countBytes] = true
		case "L":
			show[countWidth] = true
		case "files0-from":
			p, err := env.ReadFile(o.Arg)
			if err != nil {
				env.Errorf("cannot open %s for reading: %s", tool.QuoteAlways(o.Arg), tool.Strerror(err))
				return 1
			}
			files = strings.Split(strings.TrimSuffix(string(p), "\x00"), "\x00")
		}
	}
	if show == [5]bool{} {
		show = [5]bool{countLines: true, countWords: true, countBytes: true}
	}
	names := files
	if len(names) == 0 {
		names = []string{"-"}
	}
	width := columnWidth(env, names, show)
	var total counts
	for _, name := range names {
		if env.Stopped() {
			break
		}
		if name == "" {
			env.Errorf("invalid zero-length file name")
			status = 1
			continue
		}
		r, err := env.Input(name)
		if err != nil {
			env.FileError(name, err)
			status = 1
			continue
		}
		n, err := count(r, show)
		r.Close()
		if err != nil {
			env.FileError(name, err)
			status = 1
		}
		label := " " + name
		if len(files) == 0 {
			label = ""
		}
		n.write(env, show, width, label)
		for i := range n {
			total[i] += n[i]
		}
		total[countWidth] = max(total[countWidth]-n[countWidth], n[countWidth])
	}
	if len(names) > 1 {
		total.write(env, show, width, " total")
	}
	return status
}

// columnWidth guesses from the sizes of the files how wide the numbers will be.
func columnWidth(env *tool.Env, names []string, show [5]bool) int {
	columns := 0
	for _, s := range show {
		if s {
			columns++
		}
	}
	if len(names) == 1 && columns == 1 {
		return 1
	}
	width, size := 1, int64(0)
	for _, name := range names {
		fi, err := env.StatInput(name)
		switch {
		case err != nil && name != "-":
		case err != nil || !fi.Mode().IsRegular():
			width = 7
		default:
			size += fi.Size()
		}
	}
	return max(width, len(fmt.Sprint(size)))
}

func (n *counts) write(env *tool.Env, show [5]bool, width int, label string) {
	sep := ""
	for i, s := range show {
		if s {
			fmt.Fprintf(env.Out, "%s%*d", sep, width, n[i])
			sep = " "
		}
	}
	env.Out.WriteString(label + "\n")
}

// count reads r to its end. Only what is shown is counted.
func count(r io.Reader, show [5]bool) (counts, error) {
	if !show[countWords] && !show[countChars] && !show[countWidth] {
		return countFast(r)
	}
	var n counts
	in := bufio.NewReaderSize(r, 64<<10)
	var column int64
	inWord := false
	for {
		c, size, err := in.ReadRune()
		if err != nil {
			n[countWidth] = max(n[countWidth], column)
			if err == io.EOF {
				err = nil
			}
			return n, err
		}
		n[countBytes] += int64(size)
		if c == utf8.RuneError && size == 1 {
			continue // no character: it neither counts nor ends a word
		}
		n[countChars]++
		switch c {
		case '\n':
			n[countLines]++
			fallthrough
		case '\r', '\f':
			n[countWidth] = max(n[countWidth], column)
			column = 0
		case '\t':
			column += 8 - column%8
		default:
			column += int64(runeWidth(c))
		}
		space := unicode.IsSpace(c)
		if !space && !unicode.IsPrint(c) {
			continue
		}
		if !space && !inWord {
			n[countWords]++
		}
		inWord = !space
	}
}

func countFast(r io.Reader) (n counts, err error) {
	p := make([]byte, 64<<10)
	for {
		k, err := r.Read(p)
		n[countBytes] += int64(k)
		n[countLines] += int64(bytes.Count(p[:k], []byte{10}))
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}

// runeWidth is the number of columns that c takes on a terminal.
func runeWidth(c rune) int {
	switch {
	case !unicode.IsPrint(c), unicode.In(c, unicode.Mn, unicode.Me):
		return 0
	case c >= 0x1100 && unicode.In(c, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana), 0xff01 <= c && c <= 0xff60, 0x1f300 <= c && c <= 0x1faff:
		return 2
	}
	return 1
}
