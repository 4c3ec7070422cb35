package text

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

const wcOptions = "c,bytes m,chars l,lines w,words L,max-line-length files0-from= debug"

// counts are lines, words, characters, bytes and the display width of the longest line, in the
// order of wc's columns.
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
	c := counter{width: show[countWidth]}
	buf := make([]byte, 64<<10)
	left := 0 // of a character that is cut in two
	for {
		k, err := r.Read(buf[left:])
		p := buf[:left+k]
		c.n[countBytes] += int64(k)
		done := c.add(p, err != nil)
		left = copy(buf, p[done:])
		if err == nil {
			continue
		}
		c.endLine()
		if err == io.EOF {
			err = nil
		}
		return c.n, err
	}
}

// A counter counts text that comes in pieces. Bytes are counted by the caller.
type counter struct {
	n      counts
	width  bool  // whether it counts
	column int64 // of the next character, from 0
	inWord bool
}

// add counts p and returns how many bytes of it: unless it is the last piece, half a character at
// its end has to wait.
func (c *counter) add(p []byte, last bool) int {
	for i := 0; i < len(p); {
		if !c.width {
			i += c.addASCII(p[i:])
			if i == len(p) {
				break
			}
		}
		r, size := rune(p[i]), 1
		if r >= utf8.RuneSelf {
			if !last && !utf8.FullRune(p[i:]) {
				return i
			}
			r, size = utf8.DecodeRune(p[i:])
		}
		i += size
		if r == utf8.RuneError && size == 1 {
			continue // no character: it neither counts nor ends a word
		}
		c.addRune(r)
	}
	return len(p)
}

// addASCII counts the bytes that p begins with that are characters by themselves, but for their
// width.
func (c *counter) addASCII(p []byte) int {
	lines, words, in := int64(0), int64(0), c.inWord
	i := 0
	for ; i < len(p) && p[i] < utf8.RuneSelf; i++ {
		switch b := p[i]; {
		case b > ' ' && b < 0x7f:
			if !in {
				words++
				in = true
			}
		case b == ' ':
			in = false
		case '\t' <= b && b <= '\r':
			in = false
			if b == '\n' {
				lines++
			}
		}
	}
	c.inWord = in
	c.n[countLines] += lines
	c.n[countWords] += words
	c.n[countChars] += int64(i)
	return i
}

func (c *counter) addRune(r rune) {
	c.n[countChars]++
	switch r {
	case '\n':
		c.n[countLines]++
		fallthrough
	case '\r', '\f':
		c.endLine()
	case '\t':
		c.column += 8 - c.column%8
	default:
		c.column += int64(tool.RuneWidth(r))
	}
	space := unicode.IsSpace(r)
	if !space && !unicode.IsPrint(r) {
		return
	}
	if !space && !c.inWord {
		c.n[countWords]++
	}
	c.inWord = !space
}

func (c *counter) endLine() {
	c.n[countWidth] = max(c.n[countWidth], c.column)
	c.column = 0
}

func countFast(r io.Reader) (n counts, err error) {
	p := make([]byte, 64<<10)
	for {
		k, err := r.Read(p)
		n[countBytes] += int64(k)
		n[countLines] += int64(tool.CountByte(p[:k], '\n'))
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}
