package diff

import (
	"bytes"
	"strconv"
	"strings"
)

// A filePatch is what a patch does to one file.
type filePatch struct {
	lead     [][]byte // the lines before it
	line     int      // of the input where its first hunk begins, from 1
	old, new string   // names of the headers, "" if there are none
	oldHead  []byte   // the header lines, for rejects
	newHead  []byte
	created  bool // the old file is /dev/null, or git says so
	removed  bool
	hunks    []patchHunk
}

// A patchHunk is a hunk in any format, as lines with ' ', '-' or '+' in front.
type patchHunk struct {
	old, new int // first lines, from 1
	nOld     int
	nNew     int
	lines    [][]byte
}

// parsePatch finds the patches in a text that may hold more than them: unified and normal ones.
func parsePatch(p []byte) (list []filePatch, err string) {
	var lines [][]byte
	for l := range bytes.Lines(p) {
		lines = append(lines, l)
	}
	var cur filePatch
	reset := func() { cur = filePatch{} }
	flush := func() {
		if len(cur.hunks) > 0 || cur.created || cur.removed {
			list = append(list, cur)
		}
		reset()
	}
	for i := 0; i < len(lines); {
		l := string(lines[i])
		switch {
		case strings.HasPrefix(l, "diff --git "):
			flush()
		case strings.HasPrefix(l, "--- ") && i+1 < len(lines) && bytes.HasPrefix(lines[i+1], []byte("+++ ")):
			if len(cur.hunks) > 0 {
				flush()
			}
			cur.oldHead, cur.newHead = lines[i], lines[i+1]
			cur.old, cur.new = headerName(lines[i][4:]), headerName(lines[i+1][4:])
			cur.created = cur.created || cur.old == "/dev/null"
			cur.removed = cur.removed || cur.new == "/dev/null"
			cur.lead = append(cur.lead, lines[i], lines[i+1])
			i += 2
			n, msg := cur.unified(lines[i:], i+1)
			if msg != "" {
				return nil, msg
			}
			i += n
			flush()
			continue
		case strings.HasPrefix(l, "@@ -"): // without names
			n, msg := cur.unified(lines[i:], i+1)
			if msg != "" {
				return nil, msg
			}
			i += n
			flush()
			continue
		case normalHeader(l):
			cur.line = i + 1
			for i < len(lines) && normalHeader(string(lines[i])) {
				h, n := parseNormal(lines[i:])
				if n == 0 {
					return nil, "malformed patch at line " + strconv.Itoa(i+1) + ": " + l
				}
				cur.hunks = append(cur.hunks, h)
				i += n
			}
			flush()
			continue
		case strings.HasPrefix(l, "new file mode"):
			cur.created = true
		case strings.HasPrefix(l, "deleted file mode"):
			cur.removed = true
		}
		cur.lead = append(cur.lead, lines[i])
		i++
	}
	if len(list) == 0 {
		return nil, "Only garbage was found in the patch input."
	}
	return list, ""
}

// unified takes the hunks of a unified diff that lines begins with, and returns how many lines they
// take. number is that of the first one.
func (f *filePatch) unified(lines [][]byte, number int) (taken int, err string) {
	f.line = number
	for taken < len(lines) && bytes.HasPrefix(lines[taken], []byte("@@ -")) {
		h, n, msg := parseHunk(lines[taken:], number+taken)
		if msg != "" {
			return 0, msg
		}
		f.hunks = append(f.hunks, h)
		taken += n
	}
	return taken, ""
}

// headerName cuts the time off a name.
func headerName(line []byte) string {
	s := strings.TrimRight(string(line), "\r\n")
	if strings.HasPrefix(s, `"`) {
		if q, err := strconv.QuotedPrefix(s); err == nil {
			if name, err := strconv.Unquote(q); err == nil {
				return name
			}
		}
	}
	s, _, _ = strings.Cut(s, "\t")
	return strings.TrimRight(s, " ")
}

// parseHunk parses a hunk of a unified diff and returns how many lines it takes. number is that of
// its first line.
func parseHunk(lines [][]byte, number int) (h patchHunk, n int, err string) {
	bad := func(i int) (patchHunk, int, string) {
		text := ""
		if i < len(lines) {
			text = string(lines[i])
		}
		return h, 0, "malformed patch at line " + strconv.Itoa(number+i) + ": " + text
	}
	head := strings.Fields(string(lines[0]))
	if len(head) < 4 || !strings.HasPrefix(head[2], "+") {
		return bad(0)
	}
	var ok1, ok2 bool
	h.old, h.nOld, ok1 = parseRange(head[1][1:])
	h.new, h.nNew, ok2 = parseRange(head[2][1:])
	if !ok1 || !ok2 {
		return bad(0)
	}
	old, new := h.nOld, h.nNew
	i := 1
	for old > 0 || new > 0 {
		if i == len(lines) {
			if old == new && old <= 2 {
				break // context cut off at the end
			}
			return h, 0, "unexpected end of file in patch"
		}
		l := lines[i]
		switch l[0] {
		case ' ', '\t', '\n', '\r':
			if l[0] == '\n' || l[0] == '\r' {
				l = append([]byte(" "), l...) // some mailer has taken the blank
			}
			old--
			new--
		case '-':
			old--
		case '+':
			new--
		case '\\':
			h.chomp()
			i++
			continue
		default:
			return bad(i)
		}
		if old < 0 || new < 0 {
			return bad(i)
		}
		h.lines = append(h.lines, l)
		i++
	}
	if i < len(lines) && lines[i][0] == '\\' {
		h.chomp()
		i++
	}
	return h, i, ""
}

// chomp takes the newline of the last line, as "\ No newline at end of file" wants it.
func (h *patchHunk) chomp() {
	if n := len(h.lines); n > 0 {
		h.lines[n-1] = bytes.TrimSuffix(h.lines[n-1], []byte("\n"))
	}
}

func parseRange(s string) (first, count int, ok bool) {
	a, b, has := strings.Cut(s, ",")
	first, err1 := strconv.Atoi(a)
	count, err2 := 1, error(nil)
	if has {
		count, err2 = strconv.Atoi(b)
	}
	return first, count, err1 == nil && err2 == nil && first >= 0 && count >= 0
}

// normalHeader reports whether a line is like "3d2" or "1,2c4,5".
func normalHeader(s string) bool {
	s = strings.TrimRight(s, "\r\n")
	i := strings.IndexAny(s, "acd")
	return i > 0 && strings.Trim(s[:i], "0123456789,") == "" && i+1 < len(s) && strings.Trim(s[i+1:], "0123456789,") == "" && s[0] != ','
}

// parseNormal parses a hunk of a diff without context.
func parseNormal(lines [][]byte) (h patchHunk, n int) {
	s := strings.TrimRight(string(lines[0]), "\r\n")
	i := strings.IndexAny(s, "acd")
	bounds := func(s string) (lo, hi int) {
		a, b, has := strings.Cut(s, ",")
		lo, _ = strconv.Atoi(a)
		hi = lo
		if has {
			hi, _ = strconv.Atoi(b)
		}
		return lo, hi
	}
	lo, hi := bounds(s[:i])
	h.old, h.nOld = lo, hi-lo+1
	lo, hi = bounds(s[i+1:])
	h.new, h.nNew = lo, hi-lo+1
	switch s[i] {
	case 'a':
		h.nOld = 0
	case 'd':
		h.nNew = 0
	}
	n = 1
	take := func(mark string, sign byte, count int) bool {
		for ; count > 0; count-- {
			if n == len(lines) || !bytes.HasPrefix(lines[n], []byte(mark)) {
				return false
			}
			h.lines = append(h.lines, append([]byte{sign}, lines[n][2:]...))
			n++
		}
		if n < len(lines) && lines[n][0] == '\\' {
			h.chomp()
			n++
		}
		return true
	}
	if h.nOld < 0 || h.nNew < 0 || !take("< ", '-', h.nOld) {
		return h, 0
	}
	if s[i] == 'c' {
		if n == len(lines) || string(lines[n]) != "---\n" {
			return h, 0
		}
		n++
	}
	if !take("> ", '+', h.nNew) {
		return h, 0
	}
	return h, n
}

// reverse turns a patch around.
func (f *filePatch) reverse() {
	f.old, f.new = f.new, f.old
	f.oldHead, f.newHead = f.newHead, f.oldHead
	f.created, f.removed = f.removed, f.created
	for i := range f.hunks {
		h := &f.hunks[i]
		h.old, h.new, h.nOld, h.nNew = h.new, h.old, h.nNew, h.nOld
		lines := make([][]byte, len(h.lines))
		for k, l := range h.lines {
			l = bytes.Clone(l)
			switch l[0] {
			case '-':
				l[0] = '+'
			case '+':
				l[0] = '-'
			}
			lines[k] = l
		}
		h.lines = lines
	}
}
