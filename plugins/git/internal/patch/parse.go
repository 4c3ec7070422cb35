// Package patch reads patches as git apply does, and applies them to texts. It touches no files.
package patch

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// MaxSize bounds in bytes a patch that is read.
const MaxSize = 256 << 20

// A File is what a patch does to one file.
type File struct {
	Old, New         string // names from the top of the tree; "" where the file is not there
	OldMode, NewMode uint32 // 0 if the patch does not say
	Rename, Copy     bool
	Similarity       int    // of a renamed or copied file, in percent
	OldHash, NewHash string // of the contents, perhaps abbreviated; "" if the patch does not say
	Binary           bool   // whether the contents are no text
	Literal          [2]*Binary
	Hunks            []Hunk
}

// Name returns what to call the file.
func (f *File) Name() string {
	if f.New != "" {
		return f.New
	}
	return f.Old
}

// A Hunk replaces some lines. Starts count from 1; a start of 0 stands for an empty file.
type Hunk struct {
	OldStart, OldLines, NewStart, NewLines int
	Lines                                  []Line
	At                                     int // the line of the patch that the hunk begins at
}

// A Line of a hunk is kept (' '), removed ('-') or added ('+'). Its text has its newline, if any.
type Line struct {
	Op   byte
	Text []byte
}

// Options say how to read a patch.
type Options struct {
	Strip   int    // parts that are cut off the front of names: -p; -1 to guess, as git does
	Prefix  string // goes in front of names of patches that are not git's own; it ends in "/"
	Root    string // goes in front of all names: --directory; it ends in "/"
	Recount bool   // do not trust the counts of lines
}

// ErrNone says that the input has no patch.
//
//lint:ignore ST1005 these are git's own words
var ErrNone = errors.New(`No valid patches in input (allow with "--allow-empty")`)

type parser struct {
	Options
	rest []byte
	line int // the number of the line that rest begins with
}

// Parse reads all patches of text. What stands around them is passed over.
func Parse(text []byte, o Options) ([]*File, error) {
	if len(text) > MaxSize {
		return nil, errors.New("patch too large")
	}
	p := &parser{Options: o, rest: text, line: 1}
	var files []*File
	for {
		f, err := p.header()
		if err != nil {
			return nil, err
		}
		if f == nil {
			break
		}
		if err := p.body(f); err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	if len(files) == 0 {
		return nil, ErrNone
	}
	return files, nil
}

// peek returns the line that is n lines ahead, with its newline; nil if there is none.
func (p *parser) peek(n int) []byte {
	rest := p.rest
	for ; n > 0 && len(rest) > 0; n-- {
		i := bytes.IndexByte(rest, '\n')
		if i < 0 {
			return nil
		}
		rest = rest[i+1:]
	}
	if i := bytes.IndexByte(rest, '\n'); i >= 0 {
		return rest[:i+1]
	}
	return rest
}

func (p *parser) skip() {
	p.rest = p.rest[len(p.peek(0)):]
	p.line++
}

func (p *parser) corrupt() error { return fmt.Errorf("corrupt patch at line %d", p.line) }

// header goes to the next file and reads what stands in front of its hunks; nil at the end.
func (p *parser) header() (*File, error) {
	for len(p.rest) > 0 {
		line := p.peek(0)
		switch {
		case bytes.HasPrefix(line, []byte("@@ -")) && validRange(line):
			return nil, fmt.Errorf("patch fragment without header at line %d: %s", p.line, bytes.TrimSuffix(line, []byte("\n")))
		case bytes.HasPrefix(line, []byte("diff --git ")):
			if f, err := p.gitHeader(); f != nil || err != nil {
				return f, err
			}
			continue
		case bytes.HasPrefix(line, []byte("--- ")) && bytes.HasPrefix(p.peek(1), []byte("+++ ")) && bytes.HasPrefix(p.peek(2), []byte("@@ -")):
			return p.plainHeader()
		}
		p.skip()
	}
	return nil, nil
}

func validRange(line []byte) bool {
	_, err := parseRange(line)
	return err == nil
}

// plainHeader reads the names of a patch that is not git's own.
func (p *parser) plainHeader() (*File, error) {
	old, new := stamped(p.peek(0)[4:]), stamped(p.peek(1)[4:])
	strip := p.Strip
	if strip < 0 {
		strip = guess(old, new)
	}
	f := &File{}
	if old != "/dev/null" {
		f.Old = p.Prefix + stripped(old, strip)
	}
	if new != "/dev/null" {
		f.New = p.Prefix + stripped(new, strip)
	}
	switch hunk := p.peek(2); {
	case f.Old == "" && f.New == "" || strings.HasSuffix(f.Old+"x", "/x") && f.Old != "" || f.New != "" && strings.HasSuffix(f.New, "/"):
		return nil, fmt.Errorf("unable to find filename in patch at line %d", p.line)
	case old != "/dev/null" && new != "/dev/null":
		if isEpoch(p.peek(0)) || bytes.HasPrefix(hunk, []byte("@@ -0,0 ")) && isEpoch(p.peek(0)) {
			f.Old = ""
		}
		if f.Old != "" && len(f.New) > len(f.Old) { // the shorter name counts: f and f.orig
			f.New = f.Old
		} else if f.Old != "" {
			f.Old = f.New
		}
	}
	p.root(f)
	p.skip()
	p.skip()
	return f, nil
}

func isEpoch(line []byte) bool {
	return bytes.Contains(line, []byte("\t1970-01-01 ")) || bytes.Contains(line, []byte("\t1969-12-31 "))
}

func (p *parser) root(f *File) {
	if f.Old != "" {
		f.Old = p.Root + f.Old
	}
	if f.New != "" {
		f.New = p.Root + f.New
	}
}

// guess returns how many parts to cut off where nobody says: none of names without a "/".
func guess(names ...string) int {
	for _, n := range names {
		if n != "/dev/null" && !strings.Contains(n, "/") {
			return 0
		}
	}
	return 1
}

// stamped returns a name without the time that may follow it.
func stamped(b []byte) string {
	s := strings.TrimRight(string(b), "\r\n")
	if name, _, ok := unquote(s); ok {
		return name
	}
	s, _, _ = strings.Cut(s, "\t")
	return s
}

// stripped returns a name without its first n parts; "" if it does not have so many.
func stripped(name string, n int) string {
	for ; n > 0; n-- {
		_, rest, ok := strings.Cut(name, "/")
		if !ok {
			return ""
		}
		name = strings.TrimLeft(rest, "/")
	}
	return name
}

// gitHeader reads the extended header of a patch by git; nil if it is none.
func (p *parser) gitHeader() (*File, error) {
	f := &File{}
	start := p.line
	name := p.gitName(strings.TrimRight(string(p.peek(0)[len("diff --git "):]), "\r\n"))
	p.skip()
	isNew, isOld := false, false
	for len(p.rest) > 0 {
		line := p.peek(0)
		key, value, ok := gitKey(strings.TrimRight(string(line), "\r\n"))
		if !ok {
			break
		}
		var err error
		switch key {
		case "--- ":
			f.Old, err = p.named(f.Old, value, isNew)
		case "+++ ":
			f.New, err = p.named(f.New, value, isOld)
		case "old mode ":
			f.OldMode, err = mode(value)
		case "new mode ":
			f.NewMode, err = mode(value)
		case "deleted file mode ":
			isOld = true
			f.OldMode, err = mode(value)
		case "new file mode ":
			isNew = true
			f.NewMode, err = mode(value)
		case "copy from ", "rename from ":
			f.Old, f.Copy, f.Rename = p.whole(value), key[0] == 'c', key[0] == 'r'
		case "copy to ", "rename to ":
			f.New, f.Copy, f.Rename = p.whole(value), key[0] == 'c', key[0] == 'r'
		case "similarity index ", "dissimilarity index ":
			f.Similarity, _ = strconv.Atoi(strings.TrimSuffix(value, "%"))
		case "index ":
			f.indexLine(value)
		case "@@ -":
		}
		if err != nil {
			return nil, fmt.Errorf("%v on line %d", err, p.line)
		}
		if key == "@@ -" || key == "GIT binary patch" || key == "Binary files " {
			break
		}
		p.skip()
	}
	if f.Old == "" && f.New == "" || !f.Rename && !f.Copy && f.Old == "" && !isNew || f.New == "" && !isOld {
		if name == "" && (f.Old == "" && !isNew || f.New == "" && !isOld) {
			return nil, fmt.Errorf("git diff header lacks filename information when removing %d leading pathname component%s (line %d)",
				p.strip(), map[bool]string{false: "s"}[p.strip() == 1], start)
		}
		if f.Old == "" {
			f.Old = name
		}
		if f.New == "" {
			f.New = name
		}
	}
	if isNew {
		f.Old = ""
		if f.New == "" {
			f.New = name
		}
	}
	if isOld {
		f.New = ""
		if f.Old == "" {
			f.Old = name
		}
	}
	p.root(f)
	return f, nil
}

func (p *parser) strip() int {
	if p.Strip < 0 {
		return 1
	}
	return p.Strip
}

// named checks a name that the header gives a second time.
func (p *parser) named(have, value string, none bool) (string, error) {
	name := stamped([]byte(value))
	switch {
	case name == "/dev/null":
		return have, nil
	case none:
		return "", fmt.Errorf("git apply: bad git-diff - expected /dev/null, got %s", stripped(name, p.strip()))
	}
	name = stripped(name, p.strip())
	if have != "" && have != name {
		return "", fmt.Errorf("git apply: bad git-diff - inconsistent filename")
	}
	return name, nil
}

// whole is a name of the extended header, which is without a/ and b/.
func (p *parser) whole(value string) string {
	if name, _, ok := unquote(value); ok {
		value = name
	}
	return stripped(value, p.strip()-1)
}

func (f *File) indexLine(value string) {
	hashes, m, _ := strings.Cut(value, " ")
	if old, new, ok := strings.Cut(hashes, ".."); ok {
		f.OldHash, f.NewHash = old, new
	}
	if n, err := mode(m); err == nil && f.OldMode == 0 {
		f.OldMode = n
	}
}

func mode(s string) (uint32, error) {
	n, err := strconv.ParseUint(strings.TrimSpace(s), 8, 32)
	if err != nil {
		return 0, fmt.Errorf("invalid mode")
	}
	return uint32(n), nil
}

var gitKeys = []string{"--- ", "+++ ", "old mode ", "new mode ", "deleted file mode ", "new file mode ", "copy from ", "copy to ",
	"rename from ", "rename to ", "similarity index ", "dissimilarity index ", "index ", "@@ -", "GIT binary patch", "Binary files "}

func gitKey(line string) (key, value string, ok bool) {
	for _, k := range gitKeys {
		if strings.HasPrefix(line, k) {
			return k, line[len(k):], true
		}
	}
	return "", "", false
}

// gitName returns the name that stands twice in "diff --git a/NAME b/NAME"; "" if it is not the
// same.
func (p *parser) gitName(s string) string {
	if first, rest, ok := unquote(s); ok {
		second := strings.TrimPrefix(rest, " ")
		if name, _, ok := unquote(second); ok {
			second = name
		}
		if a, b := stripped(first, p.strip()), stripped(second, p.strip()); a == b {
			return a
		}
		return ""
	}
	for i := range len(s) {
		if s[i] != ' ' && s[i] != '\t' {
			continue
		}
		second := s[i+1:]
		if name, _, ok := unquote(second); ok {
			second = name
		}
		if a, b := stripped(s[:i], p.strip()), stripped(second, p.strip()); a != "" && a == b {
			return a
		}
	}
	return ""
}

// unquote reads a name as git quotes it, and returns what follows.
func unquote(s string) (name, rest string, ok bool) {
	if !strings.HasPrefix(s, `"`) {
		return "", "", false
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return b.String(), s[i+1:], true
		case c != '\\':
			b.WriteByte(c)
		case i+3 < len(s) && '0' <= s[i+1] && s[i+1] <= '3':
			n, err := strconv.ParseUint(s[i+1:i+4], 8, 8)
			if err != nil {
				return "", "", false
			}
			b.WriteByte(byte(n))
			i += 3
		case i+1 < len(s):
			i++
			at := strings.IndexByte(`abtnvfr"\`, s[i])
			if at < 0 {
				return "", "", false
			}
			b.WriteByte("\a\b\t\n\v\f\r\"\\"[at])
		}
	}
	return "", "", false
}

// body reads the hunks of a file.
func (p *parser) body(f *File) error {
	line := p.peek(0)
	switch {
	case bytes.HasPrefix(line, []byte("GIT binary patch")):
		f.Binary = true
		p.skip()
		return p.literals(f)
	case bytes.HasPrefix(line, []byte("Binary files ")) && bytes.HasSuffix(bytes.TrimSpace(line), []byte(" differ")):
		f.Binary = true
		p.skip()
		return nil
	}
	for bytes.HasPrefix(p.peek(0), []byte("@@ -")) {
		h, err := p.hunk()
		if err != nil {
			return err
		}
		f.Hunks = append(f.Hunks, h)
	}
	for _, h := range f.Hunks {
		switch {
		case f.Old == "" && h.OldLines > 0:
			return fmt.Errorf("new file %s depends on old contents", f.New)
		case f.New == "" && h.NewLines > 0:
			return fmt.Errorf("deleted file %s still has contents", f.Old)
		}
	}
	return nil
}

func (p *parser) hunk() (Hunk, error) {
	h, err := parseRange(p.peek(0))
	if err != nil {
		return h, p.corrupt()
	}
	h.At = p.line
	p.skip()
	old, new := h.OldLines, h.NewLines
	if p.Recount {
		old, new = MaxSize, MaxSize
	}
	for len(p.rest) > 0 && (old > 0 || new > 0) {
		line := p.peek(0)
		if p.Recount && endsHunk(line) {
			break
		}
		if line[len(line)-1] != '\n' {
			return h, p.corrupt()
		}
		switch line[0] {
		case '\n':
			h.Lines = append(h.Lines, Line{' ', line})
			old, new = old-1, new-1
		case ' ':
			h.Lines = append(h.Lines, Line{' ', line[1:]})
			old, new = old-1, new-1
		case '-':
			h.Lines = append(h.Lines, Line{'-', line[1:]})
			old--
		case '+':
			h.Lines = append(h.Lines, Line{'+', line[1:]})
			new--
		case '\\':
			if !h.chomp(line) {
				return h, p.corrupt()
			}
		default:
			return h, p.corrupt()
		}
		p.skip()
	}
	if p.Recount {
		h.OldLines, h.NewLines = MaxSize-old, MaxSize-new
	} else if old != 0 || new != 0 {
		return h, p.corrupt()
	}
	if line := p.peek(0); bytes.HasPrefix(line, []byte("\\ ")) && h.chomp(line) {
		p.skip()
	}
	return h, nil
}

func endsHunk(line []byte) bool {
	return bytes.HasPrefix(line, []byte("@@ ")) || bytes.HasPrefix(line, []byte("diff ")) ||
		bytes.HasPrefix(line, []byte("-- \n")) || !strings.ContainsRune(" \n-+\\", rune(line[0]))
}

// chomp takes the newline from the last line: "\ No newline at end of file", in whatever language.
func (h *Hunk) chomp(line []byte) bool {
	if len(line) < 12 || line[1] != ' ' || len(h.Lines) == 0 {
		return false
	}
	last := &h.Lines[len(h.Lines)-1]
	last.Text = bytes.TrimSuffix(last.Text, []byte("\n"))
	return true
}

// parseRange reads "@@ -1,2 +3,4 @@".
func parseRange(line []byte) (h Hunk, err error) {
	text, ok := strings.CutPrefix(string(line), "@@ -")
	old, rest, ok2 := strings.Cut(text, " +")
	new, _, ok3 := strings.Cut(rest, " @@")
	if !ok || !ok2 || !ok3 {
		return h, errors.New("no range")
	}
	h.OldStart, h.OldLines, err = span(old)
	if err == nil {
		h.NewStart, h.NewLines, err = span(new)
	}
	return h, err
}

func span(s string) (start, count int, err error) {
	first, second, ok := strings.Cut(s, ",")
	count = 1
	start, err = strconv.Atoi(first)
	if err == nil && ok {
		count, err = strconv.Atoi(second)
	}
	if err == nil && (start < 0 || count < 0) {
		err = errors.New("negative")
	}
	return start, count, err
}

// Reverse turns the patch around.
func (f *File) Reverse() {
	f.Old, f.New = f.New, f.Old
	f.OldHash, f.NewHash = f.NewHash, f.OldHash
	f.Literal[0], f.Literal[1] = f.Literal[1], f.Literal[0]
	if f.NewMode != 0 || f.Old == "" || f.New == "" {
		f.OldMode, f.NewMode = f.NewMode, f.OldMode
	}
	for i := range f.Hunks {
		h := &f.Hunks[i]
		h.OldStart, h.NewStart = h.NewStart, h.OldStart
		h.OldLines, h.NewLines = h.NewLines, h.OldLines
		for j := range h.Lines {
			switch l := &h.Lines[j]; l.Op {
			case '-':
				l.Op = '+'
			case '+':
				l.Op = '-'
			}
		}
	}
}

// Counts returns how many lines the patch adds and removes.
func (f *File) Counts() (added, removed int) {
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			switch l.Op {
			case '+':
				added++
			case '-':
				removed++
			}
		}
	}
	return added, removed
}
