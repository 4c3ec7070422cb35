package client

import (
	"fmt"
	"strings"
)

// A Diff is a change to a file.
type Diff struct {
	Path     string
	Old, New string
	Fresh    bool // there was no file before
}

// maxDiffLines is how many lines of a diff are shown.
const maxDiffLines = 40

// Lines returns the diff as a person reads it: the path, and the lines that have changed, with one
// around them. Equal lines at the beginning and at the end are left out; what is between is not
// compared.
func (d *Diff) Lines() []string {
	gone, come := newSpan(d.Old), newSpan(d.New)
	equal, before, after, isAfter := 0, "", "", false
	for ; gone.lines > 0 && come.lines > 0 && gone.first() == come.first(); equal++ {
		before = gone.first()
		gone.dropFirst()
		come.dropFirst()
	}
	for gone.lines > 0 && come.lines > 0 && gone.last() == come.last() {
		after, isAfter = gone.last(), true
		gone.dropLast()
		come.dropLast()
	}
	head := fmt.Sprintf("%s: -%d +%d", d.Path, gone.lines, come.lines)
	if d.Fresh {
		head = fmt.Sprintf("%s: new, +%d", d.Path, come.lines)
	}
	lines := []string{head}
	if equal > 0 {
		lines = append(lines, fmt.Sprintf("@@ line %d", equal+1), "  "+clip(before, maxTitle))
	}
	lines = gone.appendSome(lines, "- ")
	lines = come.appendSome(lines, "+ ")
	if isAfter {
		lines = append(lines, "  "+clip(after, maxTitle))
	}
	return lines
}

// A span is lines of a text, which are looked at one by one: an agent may send millions of them.
type span struct {
	text  string // without the line feed at its end
	lines int
}

func newSpan(text string) span {
	if text == "" {
		return span{}
	}
	text = strings.TrimSuffix(text, "\n")
	return span{text, strings.Count(text, "\n") + 1}
}

func (s *span) first() string {
	line, _, _ := strings.Cut(s.text, "\n")
	return line
}

func (s *span) dropFirst() {
	_, s.text, _ = strings.Cut(s.text, "\n")
	s.lines--
}

func (s *span) last() string { return s.text[strings.LastIndexByte(s.text, '\n')+1:] }

func (s *span) dropLast() {
	s.text = s.text[:max(0, strings.LastIndexByte(s.text, '\n'))]
	s.lines--
}

// appendSome appends the lines, of many only the first.
func (s span) appendSome(dst []string, mark string) []string {
	for shown := 0; s.lines > 0; shown++ {
		if shown == maxDiffLines {
			return append(dst, fmt.Sprintf("%s[… %d lines more …]", mark, s.lines))
		}
		dst = append(dst, mark+clip(s.first(), maxTitle))
		s.dropFirst()
	}
	return dst
}
