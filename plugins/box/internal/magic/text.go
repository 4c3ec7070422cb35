package magic

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/jq"
)

// longLine is from how many bytes on a line is called very long.
const longLine = 300

// textKind describes text; it is false for what is none.
func textKind(p []byte) (Kind, bool) {
	name, charset, ok := encoding(p)
	if !ok {
		return Kind{}, false
	}
	kind := Kind{MIME: "text/plain", Charset: charset}
	body := bytes.TrimPrefix(p, []byte("\xef\xbb\xbf"))
	what, mime := language(body)
	if mime != "" {
		kind.MIME = mime
	}
	if mime == "application/json" {
		kind.Text = what
		return kind, true
	}
	if what == "" && csv(body) {
		return Kind{Text: "CSV text", MIME: "text/csv", Charset: charset}, true
	}
	name += " text"
	if strings.HasSuffix(what, "script") && what != "makefile script" && what != "PHP script" {
		name += " executable"
	}
	switch what {
	case "":
	case "Perl script": // its encoding is not told
		name = what + " text executable"
	case "Node.js script":
		name = what + " executable, " + strings.TrimSuffix(name, " executable")
	default:
		name = what + ", " + name
	}
	kind.Text = name + lineNotes(p)
	return kind, true
}

// encoding names the character set of p.
func encoding(p []byte) (name, charset string, ok bool) {
	high := false
	for _, c := range p {
		if c < 0x20 && bytes.IndexByte([]byte("\a\b\t\n\f\r\x1b"), c) < 0 || c == 0x7f {
			if bytes.HasPrefix(p, []byte("\xff\xfe")) {
				return "Unicode text, UTF-16, little-endian", "utf-16le", true
			}
			if bytes.HasPrefix(p, []byte("\xfe\xff")) {
				return "Unicode text, UTF-16, big-endian", "utf-16be", true
			}
			return "", "", false
		}
		high = high || c >= 0x80
	}
	switch {
	case !high:
		return "ASCII", "us-ascii", true
	case bytes.HasPrefix(p, []byte("\xef\xbb\xbf")) && validPrefix(p):
		return "Unicode text, UTF-8 (with BOM)", "utf-8", true
	case validPrefix(p):
		return "Unicode text, UTF-8", "utf-8", true
	}
	for _, c := range p {
		if 0x80 <= c && c < 0xa0 && c != 0x85 {
			return "Non-ISO extended-ASCII", "unknown-8bit", true
		}
	}
	return "ISO-8859", "iso-8859-1", true
}

// validPrefix reports whether p is UTF-8, but for a character that its end cuts off.
func validPrefix(p []byte) bool {
	for i := 0; i < utf8.UTFMax && i <= len(p); i++ {
		if utf8.Valid(p[:len(p)-i]) {
			return i == 0 || !utf8.FullRune(p[len(p)-i:])
		}
	}
	return false
}

// language recognizes scripts, markup and JSON.
func language(p []byte) (what, mime string) {
	if line, ok := bytes.CutPrefix(p, []byte("#!")); ok {
		line, _, _ = bytes.Cut(line, []byte("\n"))
		return script(strings.TrimSpace(string(line)))
	}
	trimmed := bytes.TrimSpace(p)
	if len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '[') && jq.Valid(trimmed) {
		return "JSON text data", "application/json"
	}
	start := bytes.ToLower(trimmed[:min(len(trimmed), 64)])
	switch {
	case bytes.HasPrefix(start, []byte("<?xml")):
		version := "1.0"
		if i := bytes.IndexAny(start, `"'`); i >= 0 && len(start) > i+4 {
			version = string(start[i+1 : i+4])
		}
		return "XML " + version + " document", "text/xml"
	case bytes.HasPrefix(start, []byte("<!doctype html")), bytes.HasPrefix(start, []byte("<html")):
		return "HTML document", "text/html"
	case bytes.HasPrefix(start, []byte("<?php")):
		return "PHP script", "text/x-php"
	case bytes.HasPrefix(start, []byte("diff ")), bytes.HasPrefix(start, []byte("--- ")) && unified().Match(p[:min(len(p), 4096)]):
		if bytes.HasPrefix(start, []byte("---")) {
			return "unified diff output", "text/x-diff"
		}
		return "diff output", "text/x-diff"
	case bytes.HasPrefix(start, []byte("#include")), bytes.HasPrefix(start, []byte("/*")) && bytes.Contains(p, []byte("#include")),
		cMain().Match(p[:min(len(p), 8192)]):
		return "C source", "text/x-c"
	}
	if makefile().Match(p[:min(len(p), 4096)]) {
		return "makefile script", "text/x-makefile"
	}
	if python(p) {
		return "Python script", "text/x-script.python"
	}
	return "", ""
}

// python recognizes a module by what few other languages have.
func python(p []byte) bool {
	text := string(p[:min(len(p), 4096)])
	for _, mark := range pythonMarks() {
		if mark.MatchString(text) {
			return true
		}
	}
	return false
}

// unified is the head of a diff.
var unified = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)\A--- .*\n\+\+\+ .*\n@@`) })

// cMain is a program's main function in C.
var cMain = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`main\([^;{}]*\)\s*\{`) })

var makefile = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^all:`) })

// pythonMarks are compiled when they are needed, not whenever the box starts.
var pythonMarks = sync.OnceValue(func() []*regexp.Regexp {
	return []*regexp.Regexp{
		regexp.MustCompile(`(?m)^from[ \t]+[\w.]+[ \t]+import`),
		regexp.MustCompile(`def __init__[\s\S]{0,64}self`),
		regexp.MustCompile(`if __name__[\s\S]{0,64}['"]__main__['"]`),
		regexp.MustCompile(`(?m)"""[\s\S]*"""$`),
		regexp.MustCompile(`(?m)try:[\s\S]*?^\s*except.*:`),
		regexp.MustCompile(`(?m)^class [_[:alpha:]]+(\(.*\))?( )*:([ \t]+pass)?$`),
		regexp.MustCompile(`(?m)^\s{0,50}def +[_a-zA-Z]+\([[:alpha:]*_, ]{0,255}\):$`),
	}
})

// csv reports whether the first ten lines have the same number of fields, more than one.
func csv(p []byte) bool {
	const enough, fewest = 10, 3
	lines, fields, first := 0, 0, 0
	quoted := false
	for _, c := range p {
		switch {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == ',':
			fields++
		case c == '\n':
			if first == 0 {
				first = fields
			}
			if fields == 0 || fields != first {
				return false
			}
			if lines++; lines == enough {
				return true
			}
			fields = 0
		}
	}
	return lines >= fewest
}

// script names the language of an interpreter's line.
func script(line string) (what, mime string) {
	words := strings.Fields(line)
	if len(words) == 0 {
		return "a  script", "text/plain"
	}
	prog := path.Base(words[0])
	if prog == "env" && len(words) > 1 {
		prog = words[1]
	}
	switch {
	case prog == "sh" || prog == "dash":
		return "POSIX shell script", "text/x-shellscript"
	case prog == "bash":
		return "Bourne-Again shell script", "text/x-shellscript"
	case strings.HasPrefix(prog, "python"):
		return "Python script", "text/x-script.python"
	case prog == "perl":
		return "Perl script", "text/x-perl"
	case prog == "ruby":
		return "Ruby script", "text/x-ruby"
	case prog == "node":
		return "Node.js script", "application/javascript"
	case prog == "awk", prog == "gawk":
		return "awk script", "text/x-awk"
	}
	return "a " + line + " script", "text/plain"
}

// lineNotes are what file says of unusual lines.
func lineNotes(p []byte) string {
	notes, longest := "", 0
	for line := range bytes.Lines(p) {
		longest = max(longest, len(bytes.TrimRight(line, "\r\n")))
	}
	if longest > longLine {
		notes += fmt.Sprintf(", with very long lines (%d)", longest)
	}
	crlf, lf := bytes.Count(p, []byte("\r\n")), bytes.Count(p, []byte("\n"))
	cr := bytes.Count(p, []byte("\r")) - crlf
	lf -= crlf
	switch {
	case crlf+lf+cr == 0:
		notes += ", with no line terminators"
	case crlf > 0 || cr > 0:
		var kinds []string
		if crlf > 0 {
			kinds = append(kinds, "CRLF")
		}
		if cr > 0 {
			kinds = append(kinds, "CR")
		}
		if lf > 0 {
			kinds = append(kinds, "LF")
		}
		notes += ", with " + strings.Join(kinds, ", ") + " line terminators"
	}
	if bytes.IndexByte(p, 0x1b) >= 0 {
		notes += ", with escape sequences"
	}
	return notes
}
